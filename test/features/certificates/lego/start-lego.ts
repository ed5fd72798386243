/** The hub's part that runs lego, in a folder of its own. */
import { afterEach, expect } from 'bun:test';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createLego, type LegoSettings } from '../../../../src/features/certificates/lego/lego.ts';
import { listenBriefly } from '../../../../src/program/listen.ts';
import type { Failure } from '../../../../src/shared/failure.ts';
import type { Log } from '../../../../src/shared/log.ts';
import { type Acme, LEGO } from '../../../harness/acme.ts';
import { temporaryFolder } from '../../../harness/stack.ts';

type More = Partial<LegoSettings> & { log?: Log; limits?: Parameters<typeof createLego>[3] };

/** @param acme where it orders; @param more what else is not as in the program */
export function startLego(
  acme: Pick<Acme, 'directory' | 'roots'>,
  { log = () => {}, limits = {}, ...more }: More = {},
) {
  const folder = join(temporaryFolder(), 'lego');
  const { directory, roots } = acme;
  const settings = { bin: LEGO ?? 'lego', directory, roots, listenBriefly, ...more };
  const lego = createLego(settings, folder, log, limits);
  return {
    lego,
    folder,
    /** Its files, each with its mode. */
    files: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .map((one) => join(one.parentPath, one.name))
        .filter((path) => !statSync(path).isDirectory())
        .map((path) => `${path.slice(folder.length)} ${(statSync(path).mode & 0o777).toString(8)}`)
        .toSorted(),
    async stop() {
      await lego.end();
      rmSync(join(folder, '..'), { recursive: true, force: true });
    },
  };
}

/** Starts as many as the tests of a file need, and stops them after each. */
export function temporaryLegos() {
  const stops: (() => unknown)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });
  return {
    stops,
    started(...args: Parameters<typeof startLego>) {
      const one = startLego(...args);
      stops.push(one.stop);
      return one;
    },
  };
}

/** What an order fails with. */
export const failed = (promise: Promise<unknown>): Promise<Failure> =>
  promise.then(
    () => expect.unreachable(),
    (failure) => failure,
  );
