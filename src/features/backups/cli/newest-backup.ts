/** Finds a backup to restore when none is named. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Contents, describeContents, inspect } from '../../../hub/db/inspect.ts';
import { databaseIn } from '../../../hub/db/open.ts';
import { storedVersion } from '../../../hub/db/version.ts';
import { visible } from '../../../shared/visible.ts';
import { readForeign } from '../foreign.ts';

type Backup = { file: string; changedAt: Date; contents: Contents };

/**
 * The newest intact database with an account or a site, without writing anything.
 * @param dataDir its own database is no backup
 * @param folders looked through, without the folders in them
 */
export function newestBackup(dataDir: string, folders: readonly string[]): Backup | null {
  const files = [...new Set(folders)]
    .flatMap((folder) => filesIn(folder))
    .filter(({ file }) => file !== databaseIn(dataDir))
    .toSorted((one, other) => other.changedAt.getTime() - one.changedAt.getTime());
  for (const { file, changedAt } of files) {
    const contents = contentsOf(file);
    if (contents && contents.sites + contents.accounts > 0) return { file, changedAt, contents };
  }
  return null;
}

/** `/backup/signalbox.db (2 sites, 1 account, schema version 4, 2026-11-21T18:00:00.000Z)` */
export const describeBackup = ({ file, changedAt, contents }: Backup): string =>
  `${visible(file)} (${describeContents(contents)}, ${changedAt.toISOString()})`;

function filesIn(folder: string): { file: string; changedAt: Date }[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      const file = join(folder, name);
      const found = statSync(file, { throwIfNoEntry: false });
      return found?.isFile() ? [{ file, changedAt: found.mtime }] : [];
    });
  } catch {
    return [];
  }
}

/** Null if it is no hub's database, or damaged. */
function contentsOf(file: string): Contents | null {
  try {
    if (storedVersion(file) === 0) return null;
    return readForeign(file, (sqlite) => inspect(sqlite, file));
  } catch {
    return null;
  }
}
