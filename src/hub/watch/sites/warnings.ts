/** What a visitor of a live vhost would notice, at any time and right after a change. */
import { within } from '../../../shared/async.ts';
import type { Agent } from '../../agents/agents.ts';
import type { Warning } from '../../http/schemas.ts';
import { isPlacedOn, setFor } from '../../model/placement.ts';
import type { Vhost } from '../../model/vhost.ts';
import type { Publisher } from '../../publish/publisher.ts';
import { namedWarnings } from './several.ts';
import { namesOf, statesOf } from './state.ts';

/** The warnings of vhosts that were just changed, by id. Never fails, and takes 1.5 s at most. */
export type WarningsAfter = (vhosts: readonly Vhost[]) => Promise<ReadonlyMap<number, Warning[]>>;

type WarningsDeps = { publisher: Publisher; now: () => Date };

/** How long the agent waits for upstreams; some of the rest is for the way there and back. */
const WAIT_MS = 1_200;
const MOST_MS = 1_500;

/** Directives that may bring an upstream; snippets may, too. */
const MAY_PROXY = /\b(?:reverse_proxy|php_fastcgi|forward_auth|import|invoke)\b/;

export function createWarningsAfter({ publisher, now }: WarningsDeps): WarningsAfter {
  /** Of those of the vhosts that are placed there; null if the agent does not say in time. */
  async function read({ id, name, client }: Agent, vhosts: readonly Vhost[]) {
    const set = setFor(publisher.current(), id);
    const placed = vhosts.filter((vhost) => isPlacedOn(vhost, id));
    if (placed.length === 0) return null;
    const names = new Set(placed.flatMap((vhost) => namesOf(vhost, set)));
    const answer = client.sites([...names], WAIT_MS).catch(() => null);
    const found = await within(answer, MOST_MS, () => null);
    if (found === null) return null;
    const stateOf = statesOf(set, found.sites, [], now());
    return { name, found: new Map(placed.map((one) => [one.id, stateOf(one).warnings])) };
  }

  return async (vhosts) => {
    const asked = vhosts.filter(
      ({ enabled, domain, config }) =>
        enabled && (!domain.startsWith('http://') || MAY_PROXY.test(config)),
    );
    if (asked.length === 0) return new Map();
    const all = publisher.agents.all();
    const [only, ...others] = all;
    if (only && others.length === 0) return (await read(only, asked))?.found ?? new Map();
    const awake = all.filter(({ client }) => !client.isSilent());
    const known = (await Promise.all(awake.map((agent) => read(agent, asked)))).flatMap(
      (one) => one ?? [],
    );
    return new Map(
      asked.map(({ id }) => [
        id,
        namedWarnings(known.map(({ name, found }) => ({ name, warnings: found.get(id) ?? [] }))),
      ]),
    );
  };
}
