/** A certificate that signs itself, and its key, for any name. */
import { join } from 'node:path';
import { words } from './words.ts';

/** @throws Error if there is no openssl */
export function makePair(folder: string): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, 'pair.crt'), join(folder, 'pair.key')];
  const request = words(
    'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes',
  );
  const about = ['-days', '90', '-subj', '/CN=frail', '-keyout', key, '-out', certificate];
  const { exitCode, stderr } = Bun.spawnSync([...request, ...about]);
  if (exitCode !== 0) throw new Error(stderr.toString());
  return { certificate, key };
}
