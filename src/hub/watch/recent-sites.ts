/** What the proxy knows of its sites, for a status that many poll. */
import { within } from '../../shared/async.ts';
import type { SiteState } from '../../shared/wire-state.ts';
import type { AgentClient } from '../agents/client.ts';

export type RecentSitesDeps = {
  agent: Pick<AgentClient, 'sites'>;
  /** Milliseconds from a clock that is never set. */
  elapsed: () => number;
  /** Whether the proxy serves a change that may be taken back, and so never have been. */
  isOnTrial: () => boolean;
  /** Milliseconds from one question to the next, and for which an answer counts. */
  pace: Readonly<{ every: number; kept: number }>;
};

/** The agent may wait for handshakes; what it learns is in the next answer. */
const WAIT_MS = 200;

/** @returns a function that gives the last answer, or null if there is none; never fails, and hardly waits */
export function createRecentSites({
  agent,
  elapsed,
  isOnTrial,
  pace,
}: RecentSitesDeps): () => Promise<readonly SiteState[] | null> {
  let last: { at: number; sites: readonly SiteState[] } | null = null;
  let asking: Promise<void> | null = null;
  const age = () => (last === null ? Number.POSITIVE_INFINITY : elapsed() - last.at);

  async function ask(): Promise<void> {
    const wasOnTrial = isOnTrial();
    const answer = await agent.sites(undefined, undefined, true).catch(() => null);
    if (!wasOnTrial && !isOnTrial()) last = answer && { at: elapsed(), sites: answer.sites };
    asking = null;
  }

  return async () => {
    if (age() >= pace.every) {
      asking ??= ask();
      await within(asking, WAIT_MS, () => undefined);
    }
    return last !== null && age() < pace.kept ? last.sites : null;
  };
}
