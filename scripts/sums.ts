/** SHA256SUMS beside what was built. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The SHA-256 of a file, in hex. */
export async function sumOf(file: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of Bun.file(file).stream()) hasher.update(chunk);
  return hasher.digest('hex');
}

/** For `sha256sum -c SHA256SUMS`; covers all files of signalbox in the folder. */
export async function writeSums(outdir: string): Promise<void> {
  const lines: string[] = [];
  const files = readdirSync(outdir, { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const name of files.map((entry) => entry.name).toSorted()) {
    if (name.startsWith('signalbox')) lines.push(`${await sumOf(join(outdir, name))}  ${name}\n`);
  }
  await Bun.write(join(outdir, 'SHA256SUMS'), lines.join(''));
}
