/** Prepares the folder and the files of the access log and the error log for Caddy. */
import { chownSync, constants, mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorLogOf } from '../patch.ts';

const LF = 0x0a;

/**
 * Makes the folder of the logs if it is missing: Caddy's user may not be allowed to.
 * @param owner null: the agent's user @throws file system errors
 */
export function makeLogFolder(accessLog: string, owner: { uid: number; gid: number } | null): void {
  const isMade = mkdirSync(dirname(accessLog), { recursive: true }) !== undefined;
  if (isMade && owner) chownSync(dirname(accessLog), owner.uid, owner.gid);
}

/**
 * Ends the lines that a power cut or a crash left half-written, so that the next entries have lines of
 * their own. Only while no Caddy runs. Never rejects.
 */
export async function endLastLines(accessLog: string): Promise<void> {
  for (const file of [accessLog, errorLogOf(accessLog)]) {
    // Not there yet, or not ours to write to.
    await endLastLine(file).catch(() => undefined);
  }
}

async function endLastLine(file: string): Promise<void> {
  const { O_RDWR, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;
  const log = await open(file, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = await log.stat();
    if (!stat.isFile() || stat.size === 0) return;
    const { buffer } = await log.read(Buffer.alloc(1), 0, 1, stat.size - 1);
    if (buffer[0] !== LF) await log.appendFile('\n');
  } finally {
    await log.close();
  }
}
