/** Explains sites: has an agent look, and draws the conclusion. */

import type { HubCore } from '../../hub/core.ts';
import type { AnyOperation } from '../../hub/model/any-operation.ts';
import { isPlacedOn, policiesOn, setFor } from '../../hub/model/applied.ts';
import type { Change as ChangeOfSet, Step } from '../../hub/model/changes.ts';
import { endpointsUnder } from '../../hub/model/endpoints.ts';
import type { SiteSet, Vhost } from '../../hub/model/vhost.ts';
import { createConcurrencyLimit } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import type { SiteState } from '../../shared/wire/sites.ts';
import { operationFor } from './cures.ts';
import { certificateFacts, type Facts } from './facts.ts';
import { type Judgement, judge } from './judge.ts';
import { EXPLAIN } from './wire.ts';

/** A site to explain, as it is or would be. */
export type Subject = {
  set: SiteSet;
  vhost: Vhost;
  /** What leads to the set from the one that is stored; none: it is that. */
  steps: readonly Step[];
  /** What leads there, for the cure. */
  operation: AnyOperation | null;
};

export type Explain = {
  /**
   * @param changeFrom makes a change of a cure, to see whether it would be accepted
   * @throws Failure RATE_LIMITED; PROXY_REJECTED, AGENT_UNREACHABLE and the like
   */
  of(subject: Subject, path: string, changeFrom: ChangeFrom): Promise<Judgement>;
};

type ChangeFrom = (operation: AnyOperation) => Promise<ChangeOfSet<unknown>>;

/** In a minute, for the whole hub: what services say of themselves is not to be collected in bulk. */
const MOST = 60;
const WINDOW_MS = 60_000;
const AT_ONCE = 4;
const MOST_WAITING = 8;
const RETRY_AFTER_SECONDS = 5;

export function createExplain({
  publisher,
  now,
  elapsed,
}: Pick<HubCore, 'publisher' | 'now' | 'elapsed'>): Explain {
  let times: number[] = [];
  const limited = createConcurrencyLimit({
    concurrency: AT_ONCE,
    maxWaiting: MOST_WAITING,
    full: () => rateLimited(RETRY_AFTER_SECONDS),
  });

  /** @throws Failure RATE_LIMITED */
  function count(): void {
    const time = elapsed();
    times = times.filter((one) => one > time - WINDOW_MS);
    const [oldest = time] = times;
    if (times.length >= MOST) {
      throw rateLimited(Math.max(1, Math.ceil((oldest + WINDOW_MS - time) / 1_000)));
    }
    times.push(time);
  }

  async function factsOf({ set, vhost, steps }: Subject, path: string): Promise<Facts> {
    const agents = set.agents.filter(({ id }) => isPlacedOn(vhost, id));
    const all = agents.map(({ name }) => publisher.targets.named(name));
    const target = all.find(({ client }) => !client.isSilent()) ?? all[0];
    if (!target) throw new Failure('AGENT_UNREACHABLE', 'No proxy serves this site.');
    // What is off is explained as if it were on.
    const isLive = steps.length === 0 && vhost.enabled;
    const next = target.next(vhost.enabled ? set : turnedOn(set, vhost), steps);
    const [endpoint] = endpointsUnder(setFor(set, target.id).preamble)(vhost);
    if (!endpoint)
      throw new Failure('INVALID_REQUEST', 'Only Caddy knows the address of this site.');
    const { name, port } = endpoint;
    const { client, gateway } = target;
    const [findings, state] = await Promise.all([
      gateway.askBy(next, (proxyfile) =>
        client.send(EXPLAIN, { proxyfile, name, port, path, live: isLive }),
      ),
      isLive ? stateOf(client, name, port) : undefined,
    ]);
    const time = now().getTime();
    return {
      ...findings,
      time,
      host: name,
      port,
      path,
      policies: policiesOn(vhost, set).map((policy) => policy.name),
      hasOthers: agents.length > 1,
      certificate: certificateFacts(state, time),
    };
  }

  return {
    of: (subject, path, changeFrom) => {
      count();
      return limited(async () => {
        const judgement = judge(await factsOf(subject, path));
        const { explanation, change } = judgement;
        if (change === null || explanation.cure === null) return judgement;
        const operation = operationFor(subject.vhost, subject.operation, change);
        if (operation === null || !(await isAccepted(operation))) return judgement;
        const cure = { ...explanation.cure, operation };
        return { ...judgement, explanation: { ...explanation, cure } };
      });

      async function isAccepted(operation: AnyOperation): Promise<boolean> {
        try {
          const { refusal } = await publisher.preview(await changeFrom(operation));
          return refusal === null;
        } catch {
          return false;
        }
      }
    },
  };
}

const rateLimited = (retryAfter: number) =>
  new Failure('RATE_LIMITED', 'Too many explanations at once. Try again soon.', { retryAfter });

const turnedOn = (set: SiteSet, vhost: Vhost): SiteSet => ({
  ...set,
  vhosts: set.vhosts.map((one) => (one.id === vhost.id ? { ...vhost, enabled: true } : one)),
});

type Client = ReturnType<HubCore['publisher']['targets']['named']>['client'];

/** What the agent says of the host; undefined if it says nothing. */
async function stateOf(client: Client, name: string, port: number): Promise<SiteState | undefined> {
  const { sites } = await client.sites([name], undefined, true).catch(() => ({ sites: [] }));
  return sites.find((one) => one.name === name && one.ports.includes(port));
}
