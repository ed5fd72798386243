/** Notices a proxy that runs but no longer answers on its admin endpoint. */
import { lacksDescriptors } from '../../../src/shared/system/files.ts';
import type { Pace } from '../../pace.ts';
import type { Admin } from '../admin.ts';

type MuteWatch = {
  /**
   * Asks the proxy from time to time; true if it has not answered for long enough, whether or not
   * its socket is still there. Call it often.
   */
  isMute(): boolean;
  /** Starts over, with another process. */
  reset(): void;
};

/** One question is not enough: this process may have been stopped while it waited for the answer. */
const MUTE_AFTER_QUESTIONS = 3;

/** @param now milliseconds on a clock that nobody sets */
export function createMuteWatch(
  admin: Pick<Admin, 'knock'>,
  pace: Pick<Pace['supervise'], 'ask' | 'mute'>,
  now = () => performance.now(),
): MuteWatch {
  let askedAt = now();
  let silentSince: number | null = null;
  let unanswered = 0;
  let isAsking = false;

  /** A load may be long, which does not count as silence; questions of others do not make it wait. */
  async function ask(): Promise<void> {
    isAsking = true;
    askedAt = now();
    try {
      await admin.knock();
      silentSince = null;
      unanswered = 0;
    } catch (error) {
      // A question that could not be asked says nothing about the proxy.
      if (!lacksDescriptors((error as Error).cause)) {
        silentSince ??= askedAt;
        unanswered++;
      }
    }
    isAsking = false;
  }

  return {
    isMute() {
      if (!isAsking && now() - askedAt >= pace.ask) void ask();
      const isSilent = silentSince !== null && now() - silentSince >= pace.mute;
      return isSilent && unanswered >= MUTE_AFTER_QUESTIONS;
    },
    reset() {
      silentSince = null;
      unanswered = 0;
      askedAt = now();
    },
  };
}
