/** SHA256SUMS beside what was built. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from '../src/shared/system/files.ts';

/** For `sha256sum -c SHA256SUMS`; covers all files of signalbox in the folder. */
export async function writeSums(outdir: string): Promise<void> {
  const lines: string[] = [];
  const files = readdirSync(outdir, { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const name of files.map((entry) => entry.name).toSorted()) {
    if (!name.startsWith('signalbox')) continue;
    lines.push(`${await sha256Of(Bun.file(join(outdir, name)))}  ${name}\n`);
  }
  await Bun.write(join(outdir, 'SHA256SUMS'), lines.join(''));
}
