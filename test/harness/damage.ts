/** What a power cut or a full disk makes of a file. */
import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';

export const DAMAGES: readonly { damage: string; harm: (file: string) => void }[] = [
  { damage: 'empty', harm: (file) => truncateSync(file) },
  { damage: 'zeros', harm: (file) => writeFileSync(file, Buffer.alloc(statSync(file).size)) },
  { damage: 'half', harm: (file) => truncateSync(file, Math.floor(statSync(file).size / 2)) },
];

/** Not from a cut, but from someone who cleans up. */
export const MISSING = { damage: 'missing', harm: (file: string) => rmSync(file) };
