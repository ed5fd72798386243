/** What a visitor of a live vhost would notice, at any time and right after a change. */
import { within } from '../../shared/async.ts';
import type { AgentClient } from '../agent-client/client.ts';
import type { Warning } from '../http/schemas.ts';
import type { Publisher } from '../publish/publisher.ts';
import type { Vhost } from '../publish/vhost.ts';
import { namesOf, statesOf } from './vhost-state.ts';

/** The warnings of vhosts that were just changed, by id. Never fails, and takes 1.5 s at most. */
export type WarningsAfter = (vhosts: readonly Vhost[]) => Promise<ReadonlyMap<number, Warning[]>>;

type WarningsDeps = { agent: Pick<AgentClient, 'sites'>; publisher: Publisher; now: () => Date };

/** How long the agent waits for upstreams; some of the rest is for the way there and back. */
const WAIT_MS = 1_200;
const MOST_MS = 1_500;

/** Directives that may bring an upstream; snippets may, too. */
const MAY_PROXY = /\b(?:reverse_proxy|php_fastcgi|forward_auth|import|invoke)\b/;

export function createWarningsAfter({ agent, publisher, now }: WarningsDeps): WarningsAfter {
  return async (vhosts) => {
    const asked = vhosts.filter(
      ({ enabled, domain, config }) =>
        enabled && (!domain.startsWith('http://') || MAY_PROXY.test(config)),
    );
    if (asked.length === 0) return new Map();
    const set = publisher.current();
    const names = new Set(asked.flatMap((vhost) => namesOf(vhost, set)));
    const answer = agent.sites([...names], WAIT_MS).catch(() => null);
    const found = await within(answer, MOST_MS, () => null);
    if (found === null) return new Map();
    const stateOf = statesOf(set, found.sites, [], now());
    return new Map(asked.map((vhost) => [vhost.id, stateOf(vhost).warnings]));
  };
}
