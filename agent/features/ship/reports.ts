/** Reports entries that cannot be shipped: in the log and, if it lasts, in the status. */
import type { AgentCore } from '../../core.ts';
import type { Outcome } from './post.ts';

type Reports = {
  /** @param wait milliseconds until the next attempt */
  failed(outcome: Exclude<Outcome, { kind: 'accepted' }>, wait: number): void;
  succeeded(): void;
  /** The engine refused an entry, which is left out; `place` is its position as text. */
  leftOut(place: string, outcome: Outcome): void;
  /** What was logged between two times, milliseconds since 1970, was deleted before it was shipped. */
  lost(from: number, to: number): void;
};

/**
 * @param away milliseconds after which the status says that an engine is offline
 * @param now milliseconds since 1970
 */
export function createReports(
  { log, warn }: Pick<AgentCore, 'log' | 'warn'>,
  away: number,
  now: () => number,
): Reports {
  let since: number | null = null;
  let lastReason = '';
  const iso = (time: number): string => new Date(time).toISOString();

  return {
    failed({ kind, reason, text }, wait) {
      since ??= now();
      if (reason !== lastReason) log('log shipping waits', { reason }, 'warn');
      if (text) log('log engine answered', { text }, 'debug');
      lastReason = reason;
      if (kind === 'away' && now() - since + wait <= away) return;
      warn(
        'log shipping',
        `Access-log entries have not been shipped since ${iso(since)}: ${reason}. ` +
          'They stay in the log’s files as long as the settings keep these files.',
      );
    },

    succeeded() {
      if (since === null) return;
      log('log shipping continues', { after_ms: now() - since });
      since = null;
      lastReason = '';
      warn('log shipping', null);
    },

    leftOut(place, outcome) {
      const { reason, text } = outcome.kind === 'accepted' ? {} : outcome;
      log('access log entry not shipped', { place, reason }, 'warn');
      if (text) log('log engine answered', { text }, 'debug');
      warn(
        'log shipping refused',
        'The log engine refused some access-log entries, and they were left out. The agent’s log lists them.',
      );
    },

    lost(from, to) {
      warn(
        'log shipping lost',
        `Access-log entries between ${iso(from)} and ${iso(to)} were deleted before they were shipped.`,
      );
    },
  };
}
