/** What stands between the hub and what a proxy serves. Pure. */
import type { ProxyStatus } from '../../../shared/wire.ts';
import { type Finding, sentence } from '../problem.ts';

/** What counts of one of several agents. */
type Lag = {
  /** ISO 8601: since when its proxy lacks a change; null if it lacks none. */
  since: string | null;
  /** Whether nothing is published to it for now. */
  paused: boolean;
};

export type StandingFacts = {
  /** Null: the agent did not respond. */
  status: Pick<ProxyStatus, 'proxy' | 'foreign'> | null;
  /** Why the agent cannot be asked, if it is there; null if it just does not respond. */
  agentFault: string | null;
  inStep: boolean;
  /** Only if there are other agents. */
  lag?: Lag;
  /** Why the proxy refused what is stored. */
  rejection: string | null;
  /** Whose sites the proxy serves, if that is in the way of a change. */
  ownership: string | null;
};

const UNKNOWN = 'Caddy’s state is unknown, and nothing can be changed until the agent returns.';
const NOT_REACHED = 'Until it returns, its Caddy keeps its current sites.';
const LACKS = 'Its Caddy lacks changes: it still serves deleted sites and ignores new policies.';

/** The first of them explains the others. */
export function standingProblems({ status, lag, ...facts }: StandingFacts): Finding[] {
  const lacks = lag?.since ? LACKS : null;
  const since = lag?.since ? { since: lag.since } : {};
  if (!status) {
    const toll = lag ? (lacks ?? NOT_REACHED) : UNKNOWN;
    const message = `${sentence(facts.agentFault ?? 'The agent does not answer.')} ${toll}`;
    return [{ code: 'AGENT_UNREACHABLE', level: 'bad', ...since, message }];
  }
  if (!status.proxy.running) {
    const message = 'Caddy is not running, or does not answer. No site is known to be served.';
    return [{ code: 'PROXY_DOWN', level: 'bad', message }];
  }
  if (status.foreign || facts.ownership !== null) {
    const message =
      facts.ownership ??
      'Caddy serves sites that signalbox does not manage. The first change would replace them, so import them first.';
    return [{ code: 'FOREIGN', level: 'warn', message }];
  }
  if (facts.inStep) return [];
  if (facts.rejection !== null) {
    const message = `The stored state is not live: ${facts.rejection}`;
    return [{ code: 'NOT_IN_STEP', level: 'bad', message: withToll(message, lacks) }];
  }
  if (lag?.paused) {
    const message = withToll('The agent is paused', lacks);
    return [{ code: 'NOT_IN_STEP', level: 'warn', ...since, message }];
  }
  if (lacks !== null) {
    const message = `${lacks} signalbox is publishing them.`;
    return [{ code: 'NOT_IN_STEP', level: 'bad', ...since, message }];
  }
  const message = 'Caddy does not serve the stored state. signalbox is publishing it again.';
  return [{ code: 'NOT_IN_STEP', level: 'warn', message }];
}

const withToll = (message: string, toll: string | null): string =>
  toll === null ? message : `${sentence(message)} ${toll}`;
