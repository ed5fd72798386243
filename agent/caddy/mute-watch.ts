/** Notices a proxy that runs but no longer answers on its admin endpoint. */
import type { Admin } from './admin.ts';

export type MuteWatch = {
  /** Asks the proxy from time to time; true if it has not answered for 15 seconds. Call it often. */
  isMute(): boolean;
  /** Starts over, with another process. */
  reset(): void;
};

const MUTE_AFTER_MS = 15_000;
const ASK_EVERY_MS = 5_000;

export function createMuteWatch(admin: Pick<Admin, 'metrics'>): MuteWatch {
  let askedAt = Date.now();
  let silentSince: number | null = null;
  let isMute = false;
  let isAsking = false;

  /** Queues behind a load under way, so a long one does not count as silence. */
  async function ask(): Promise<void> {
    isAsking = true;
    askedAt = Date.now();
    try {
      // The only request that Caddy does not log.
      await admin.metrics();
      silentSince = null;
    } catch {
      silentSince ??= askedAt;
    }
    isMute = silentSince !== null && Date.now() - silentSince >= MUTE_AFTER_MS;
    isAsking = false;
  }

  return {
    isMute() {
      if (!isAsking && Date.now() - askedAt >= ASK_EVERY_MS) void ask();
      return isMute;
    },
    reset() {
      silentSince = null;
      isMute = false;
      askedAt = Date.now();
    },
  };
}
