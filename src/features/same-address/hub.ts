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
  /** From one look at a log to the next. */
  look: 900_000,
  /** Until what is due is looked at: an agent may not answer yet when the hub has started. */
  tick: 5_000,
};

export function hub({ publisher, now, elapsed, paced }: HubCore): HubPart {
  const { look, tick } = paced('same-address', PACE);
  /** By the ids of the agents in whose logs they are, and when to look again. */
  let found: ReadonlyMap<number, { proxy: FoundProxy | null; due: number }> = new Map();

  /** Whether the proxy of an agent was told whom to believe: its log may still be older than that. */
  const isTold = (agent: number): boolean =>
    trustedIn(setFor(publisher.current(), agent).preamble) !== null;

  async function lookAtAll(): Promise<void> {
    const next = new Map(found);
    for (const { id, client } of publisher.agents.all()) {
      if (isTold(id)) next.delete(id);
      else if (!client.isSilent() && (found.get(id)?.due ?? 0) <= elapsed()) {
        // What cannot be asked now stays as it was, and due.
        const proxy = await findProxy(client, now()).catch(() => undefined);
        if (proxy !== undefined) next.set(id, { proxy, due: elapsed() + look });
      }
    }
    found = next;
  }

  const looks = every({ pause: tick }, lookAtAll);
  return {
    problems: () =>
      publisher.agents.all().flatMap(({ id }) => {
        const proxy = isTold(id) ? null : found.get(id)?.proxy;
        return proxy ? [problemOf(proxy, id, labelOf(id, publisher.current().agents))] : [];
      }),
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
