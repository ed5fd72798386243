/** What a hub finds in its logs about proxies that Caddy does not know of. */

import { trustedIn } from '../../hub/caddyfile/trusted-proxies.ts';
import type { HubCore, HubPart } from '../../hub/core.ts';
import { labelOf } from '../../hub/model/agent.ts';
import { setFor } from '../../hub/model/applied.ts';
import { type Problem, said } from '../../hub/watch/problem.ts';
import { every } from '../../shared/every.ts';
import { type FoundProxy, findProxy } from './find-proxy.ts';

/** Milliseconds. */
const PACE = {
  /** From one look at the logs to the next. */
  look: 900_000,
};

export function hub({ publisher, now, paced }: HubCore): HubPart {
  const { look } = paced('same-address', PACE);
  /** By the ids of the agents in whose logs they are. */
  let found: ReadonlyMap<number, FoundProxy> = new Map();

  /** Whether the proxy of an agent was told whom to believe: its log may still be older than that. */
  const isTold = (agent: number): boolean =>
    trustedIn(setFor(publisher.current(), agent).preamble) !== null;

  async function lookAtAll(): Promise<void> {
    const next = new Map<number, FoundProxy>();
    for (const { id, client } of publisher.agents.all()) {
      if (client.isSilent() || isTold(id)) continue;
      // What cannot be asked now stays as it was.
      const proxy = await findProxy(client, now()).catch(() => found.get(id) ?? null);
      if (proxy) next.set(id, proxy);
    }
    found = next;
  }

  const looks = every({ pause: look, first: look }, lookAtAll);
  return {
    problems: () =>
      [...found]
        .filter(([id]) => !isTold(id))
        .map(([id, proxy]) => problemOf(proxy, id, labelOf(id, publisher.current().agents))),
    begin: looks.begin,
    end: looks.end,
  };
}

/** @param label of the agent, if there are several */
const problemOf = ({ name, words, header }: FoundProxy, id: number, label?: string): Problem => ({
  code: 'SAME_ADDRESS',
  level: 'notice',
  part: `agent ${id}`,
  message: said(
    [label],
    `Nearly all requests of the last day come from ${words} and have the header ${header}, so a proxy forwards them. Policies, log and figures go by its address until you add ${name} to “Proxies before Caddy” in the Caddy options, for which Caddy has to be 2.8 or newer.`,
  ),
});
