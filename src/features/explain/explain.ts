/** Explains sites: has an agent look, and draws the conclusion. */

import type { HubCore, ProblemCause } from '../../hub/core.ts';
import type { AnyOperation } from '../../hub/model/any-operation.ts';
import { isPlacedOn, policiesOn, setFor } from '../../hub/model/applied.ts';
import type { Change as ChangeOfSet, Step } from '../../hub/model/changes.ts';
import { type Endpoint, endpointsUnder, keyOfEndpoint } from '../../hub/model/endpoints.ts';
import type { SiteSet, Vhost } from '../../hub/model/vhost.ts';
import { createConcurrencyLimit } from '../../shared/async.ts';
import { portOptions } from '../../shared/caddyfile/globals.ts';
import { Failure } from '../../shared/failure.ts';
import { createThrottle, rateLimited } from '../../shared/throttle.ts';
import type { SiteState } from '../../shared/wire/sites.ts';
import { operationFor } from './cures.ts';
import { certificateCause, certificateFacts, type Facts } from './facts.ts';
import type { FailingSites } from './failing.ts';
import { type Judgement, judge } from './judge.ts';
import { EXPLAIN, FIRST_LOOK } from './wire.ts';
import { CAUSE_WORDS } from './words.ts';

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
  /** The same of a stored vhost that nobody asked for; null: there were too many. @throws as `of` */
  unasked(vhost: Vhost, path: string, changeFrom: ChangeFrom): Promise<Judgement | null>;
  /** Why a certificate of a vhost is missing, expired or not renewed; null: that is not certain. @throws Failure */
  certificate(vhost: Vhost): Promise<ProblemCause | null>;
  /** Of a vhost that was just changed and is live; null if nothing seems wrong. @throws as `of` */
  first(vhost: Vhost, changeFrom: ChangeFrom): Promise<Judgement | null>;
};

/** Makes a change of a cure, to see whether it would be accepted. */
export type ChangeFrom = (operation: AnyOperation) => Promise<ChangeOfSet<unknown>>;

/** In a minute, for the whole hub: what services say of themselves is not to be collected in bulk. */
const MOST = 60;
const WINDOW_MS = 60_000;
const AT_ONCE = 4;
const MOST_WAITING = 8;
const RETRY_AFTER_SECONDS = 5;
const TOO_MANY = 'Too many explanations at once. Try again soon.';

/** @param note hears of explanations of sites as they are */
export function createExplain(
  { publisher, now, elapsed }: Pick<HubCore, 'publisher' | 'now' | 'elapsed'>,
  note: FailingSites['note'],
): Explain {
  const requested = createThrottle(MOST, WINDOW_MS, elapsed, { message: TOO_MANY });
  /** What the hub explains by itself takes nothing away from those who ask. */
  const unasked = createThrottle(MOST, WINDOW_MS, elapsed);
  const limited = createConcurrencyLimit({
    concurrency: AT_ONCE,
    maxWaiting: MOST_WAITING,
    full: () => rateLimited(RETRY_AFTER_SECONDS, TOO_MANY),
  });

  /** @throws Failure */
  async function ask(subject: Subject, path: string, place: Place): Promise<Facts> {
    const { set, vhost, steps } = subject;
    const { target, name, port } = place;
    // What is off is explained as if it were on.
    const live = isLive(subject);
    const next = target.next(vhost.enabled ? set : turnedOn(set, vhost), steps);
    const { client, gateway } = target;
    const [findings, state] = await Promise.all([
      gateway.askBy(next, (proxyfile) =>
        client.send(EXPLAIN, { proxyfile, name, port, path, live }),
      ),
      live ? stateOf(client, name, port) : undefined,
    ]);
    const ports = portOptions(setFor(set, target.id).preamble);
    const certificate = certificateFacts(state, ports, now().getTime());
    return { ...findings, ...factsOfHub(vhost, set), host: name, port, path, certificate };
  }

  /** By the first proxy that answers. @throws Failure */
  function placeOf(vhost: Vhost, set: SiteSet): Place {
    const all = set.agents
      .filter(({ id }) => isPlacedOn(vhost, id))
      .map(({ name }) => publisher.targets.named(name));
    const target = all.find(({ client }) => !client.isSilent()) ?? all[0];
    if (!target) throw new Failure('AGENT_UNREACHABLE', 'No proxy serves this site.');
    const [endpoint] = endpointsUnder(setFor(set, target.id).preamble)(vhost);
    if (endpoint) return { target, ...endpoint };
    throw new Failure('INVALID_REQUEST', 'Only Caddy knows the address of this site.');
  }

  const factsOfHub = (vhost: Vhost, set: SiteSet) => ({
    policies: policiesOn(vhost, set).map(({ name }) => name),
    hasOthers: set.agents.filter(({ id }) => isPlacedOn(vhost, id)).length > 1,
    time: now().getTime(),
  });

  /** With the operation that does it, if there is one that would be accepted. */
  async function cured(
    judgement: Judgement,
    { vhost, operation }: Pick<Subject, 'vhost' | 'operation'>,
    changeFrom: ChangeFrom,
  ): Promise<Judgement> {
    const { explanation, change } = judgement;
    if (change === null || explanation.cure === null) return judgement;
    const cureOperation = operationFor(vhost, operation, change);
    if (cureOperation === null) return judgement;
    const isAccepted = await changeFrom(cureOperation)
      .then((one) => publisher.preview(one))
      .then(
        ({ refusal }) => refusal === null,
        () => false,
      );
    if (!isAccepted) return judgement;
    const cure = { ...explanation.cure, operation: cureOperation };
    return { ...judgement, explanation: { ...explanation, cure } };
  }

  const explained: Explain['of'] = (subject, path, changeFrom) =>
    limited(async () => {
      const { set, vhost } = subject;
      const place = placeOf(vhost, set);
      const judgement = judge(await ask(subject, path, place));
      if (isLive(subject)) note({ set, vhost, agent: place.target.id, path, judgement });
      return cured(judgement, subject, changeFrom);
    });

  return {
    async of(subject, path, changeFrom) {
      requested.take('hub');
      return explained(subject, path, changeFrom);
    },

    async unasked(vhost, path, changeFrom) {
      if (!unasked.tryTake('hub')) return null;
      const subject = { set: publisher.current(), vhost, steps: [], operation: null };
      return explained(subject, path, changeFrom);
    },

    async certificate(vhost) {
      const set = publisher.current();
      const { target } = placeOf(vhost, set);
      const places = endpointsUnder(setFor(set, target.id).preamble)(vhost);
      const keys = places.map(keyOfEndpoint);
      const names = places.map(({ name }) => name);
      const { sites } = await target.client.sites(names, undefined, true);
      const own = sites.filter(({ name, ports }) =>
        ports.some((port) => keys.includes(keyOfEndpoint({ name, port }))),
      );
      const causes = own.map((one) => certificateCause(one, now().getTime()));
      const cause = causes.find((one) => one !== null);
      return cause ? { cause, cure: { words: CAUSE_WORDS[cause].advice, operation: null } } : null;
    },

    async first(vhost, changeFrom) {
      const set = publisher.current();
      const { target, name, port } = placeOf(vhost, set);
      const { findings } = await target.client.send(FIRST_LOOK, { name, port, path: '/' });
      if (findings === null || !unasked.tryTake('hub')) return null;
      const facts = { ...findings, ...NOT_LOOKED_AT, ...factsOfHub(vhost, set) };
      const judgement = judge({ ...facts, host: name, port, path: '/' });
      note({ set, vhost, agent: target.id, path: '/', judgement });
      return cured(judgement, { vhost, operation: null }, changeFrom);
    },
  };
}

/** What is not asked of a site that was changed a moment ago: name, port and certificate may take a while. */
const NOT_LOOKED_AT = {
  name: { state: 'skipped', addresses: [] },
  listener: { state: 'unknown', reason: null },
  certificate: { state: 'unknown', words: '' },
} satisfies Partial<Facts>;

const turnedOn = (set: SiteSet, vhost: Vhost): SiteSet => ({
  ...set,
  vhosts: set.vhosts.map((one) => (one.id === vhost.id ? { ...vhost, enabled: true } : one)),
});

const isLive = ({ steps, vhost }: Subject): boolean => steps.length === 0 && vhost.enabled;

type Target = ReturnType<HubCore['publisher']['targets']['named']>;
type Place = Endpoint & { target: Target };
type Client = Target['client'];

/** What the agent says of the host; undefined if it says nothing. */
async function stateOf(client: Client, name: string, port: number): Promise<SiteState | undefined> {
  const { sites } = await client.sites([name], undefined, true).catch(() => ({ sites: [] }));
  return sites.find((one) => one.name === name && one.ports.includes(port));
}
