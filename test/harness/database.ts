/** A database of a hub in a folder of its own. */
import { rmSync } from 'node:fs';
import { openDatabase } from '../../src/hub/db/open.ts';
import { temporaryFolder } from './stack.ts';

export function startDatabase() {
  const folder = temporaryFolder();
  const database = openDatabase(folder);
  return {
    ...database,
    folder,
    stop() {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
