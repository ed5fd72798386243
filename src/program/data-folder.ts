/** The data folder, and where in it hub and commands find each other. */
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Env, valueIn } from './settings.ts';

/** sun_path holds 108 bytes (unix(7)); leaves some room. */
const LONGEST_SOCKET = 100;

/** The absolute path of the data folder. */
export const dataDirOf = (env: Env): string => resolve(valueIn(env, 'DATA_DIR'));

/** The socket of the hub that uses `dataDir`, an absolute path; for commands on the same machine. */
export const hubSocket = (dataDir: string): string => socketIn(dataDir, 'hub.sock');

/** The file with the secret for that socket, new at each start. */
export const localSecret = (dataDir: string): string => join(dataDir, 'hub.secret');

/** The file with the token that hub and agent of one machine share. */
export const agentTokenIn = (dataDir: string): string => join(dataDir, 'agent-token');

/** The file with the key of what is sealed in the database; the tokens of enrolled agents derive from it. */
export const secretKeyIn = (dataDir: string): string => join(dataDir, 'secret-key');

/** In `folder`, or in a temporary folder with a shorter path if that one is too long for a socket. */
export function socketIn(folder: string, file: string): string {
  const path = join(folder, file);
  if (Buffer.byteLength(path) <= LONGEST_SOCKET) return path;
  const name = new Bun.CryptoHasher('sha256').update(dirname(folder)).digest('hex').slice(0, 16);
  return join(tmpdir(), `signalbox-${name}`, file);
}
