/** Whether the disk that holds the access log is nearly full. */
import { statfs } from 'node:fs/promises';

/** Below either of them, the oldest segments have to go. */
const LEAST_SHARE = 0.05;
const LEAST_BYTES = 1e9;

/** Whether a folder's disk has less than 5 % or 1 GB left for this user. @throws file system errors */
export async function isNearlyFull(folder: string): Promise<boolean> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return bavail < blocks * LEAST_SHARE || bavail * bsize < LEAST_BYTES;
}
