/** The hub's part that runs lego, in a folder of its own. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createLego, type LegoSettings } from '../../../../src/features/certificates/lego/lego.ts';
import { listenBriefly } from '../../../../src/program/listen.ts';
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
