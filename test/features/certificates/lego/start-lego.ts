/** The hub's part that runs lego, in a folder of its own. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createLego, type LegoDeps } from '../../../../src/features/certificates/lego/lego.ts';
import { listenBriefly } from '../../../../src/program/listen.ts';
import { type Acme, LEGO } from '../../../harness/acme.ts';
import { temporaryFolder } from '../../../harness/stack.ts';

/** @param acme where it orders; @param more what else is not as in the program */
export function startLego(acme: Pick<Acme, 'directory' | 'roots'>, more: Partial<LegoDeps> = {}) {
  const folder = join(temporaryFolder(), 'lego');
  const lego = createLego({
    bin: LEGO ?? 'lego',
    folder,
    directory: acme.directory,
    roots: acme.roots,
    listenBriefly,
    log: () => {},
    ...more,
  });
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
      await lego.stop();
      rmSync(join(folder, '..'), { recursive: true, force: true });
    },
  };
}
