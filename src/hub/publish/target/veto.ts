/** Whether a proxy that refuses a change has a say in it: not if it refuses what is stored as well. */
import { Failure, sentenceOf } from '../../../shared/failure.ts';
import { idsAfter, type Step } from '../../model/changes.ts';
import { type BrokenVhost, type Findings, isRejection, isTooLarge } from '../../model/refusal.ts';
import type { SiteSet, Vhost } from '../../model/vhost.ts';
import type { Gateway } from './gateway.ts';
import { ifRejected, NONE } from './stale.ts';

/** What a proxy is asked about. */
type Refused = {
  gateway: Gateway;
  /** What is to be live there without the change, and with it. */
  before: SiteSet;
  after: SiteSet;
  /** Those that concern it. */
  steps: readonly Step[];
  /** The vhosts there that they change; none if they change the preamble. */
  changed: readonly Vhost[];
  /** Why it did not take what is stored when it was last published; null if it did. */
  known: Failure | null;
};

/**
 * `change`: this is wrong with what was sent. `stored`: the proxy refuses what is stored, for `reason`, and
 * nothing is wrong with what was sent. Then `isRepair` says whether the change takes away or fixes some of
 * that, and `broken` which stored vhosts are in the way still; null if it is more than these.
 */
export type Veto =
  | { of: 'change'; broken: readonly BrokenVhost[]; preamble: Failure | null }
  | { of: 'stored'; reason: Failure; isRepair: boolean; broken: Findings | null };

export type Fault = Extract<Veto, { of: 'change' }>;
/** Of a proxy that has no say. */
export type Stored = Extract<Veto, { of: 'stored' }>;

/** Whether the proxy takes the change, if some stored vhosts are left out there. */
export const canLeaveOut = (veto: Stored): veto is Stored & { broken: Findings } =>
  veto.isRepair && veto.broken !== null && veto.broken.broken.length > 0;

/** Whether a change that no proxy takes is recorded, so that they can be repaired step by step. */
export const isRepair = (vetoes: readonly Stored[]): boolean =>
  vetoes.length > 0 && vetoes.every((veto) => veto.isRepair);

/** Why nothing goes live on a proxy. @param agent its name, if there are several */
export const standingRefusal = ({ reason }: Stored, agent: string | undefined): Failure =>
  new Failure(
    'PROXY_REJECTED',
    'The proxy refuses what is stored for it already; nothing was changed.',
    {
      detail: sentenceOf(reason),
      hint: `Fix that first${agent === undefined ? '' : ', pause the agent, or place the site elsewhere'}.`,
      at: { agent },
    },
  );

/** What a site may need of a refused preamble: snippets, named routes, authorities, file systems, and the order of directives. */
const USES_PREAMBLE = /(?:^|\n)[ \t]*(?:import|invoke|ca|fs)[ \t]/;
const ORDERS = /(?:^|\n)[ \t]*order[ \t]/;

/**
 * @returns null if the proxy takes what is stored: then the change is why it refused
 * @throws Failure if the agent can no longer be asked
 */
export async function vetoOf(refused: Refused): Promise<Veto | null> {
  const { gateway, before, after, steps, known } = refused;
  const reason = isRejection(known) ? known : await refusalOf(gateway.check(before));
  if (reason === null || isTooLarge(reason)) return null;
  const isPreambleSent = steps.some(({ kind }) => kind === 'preamble');
  const preamble = await refusalOfPreamble(gateway, after);
  if (preamble && isPreambleSent) return { of: 'change', broken: [], preamble };
  // A preamble comes with sites that the same change makes, in a restore.
  const ids = idsAfter(steps);
  const also = after.vhosts.filter(({ id, enabled }) => enabled && ids.has(id));
  const changed = isPreambleSent ? also : refused.changed;
  const own = new Set([...changed.map(({ id }) => id), ...ids]);
  const others = after.vhosts.filter(({ id, enabled }) => enabled && !own.has(id));
  const broken = preamble ? null : await gateway.findBroken(after, others);
  const asked = isPreambleSent ? (broken?.broken ?? []) : [];
  const { was, isPreamble } = await brokenBefore({ ...refused, changed }, asked);
  const isOff = ({ id }: Vhost) => !after.vhosts.some((one) => one.id === id && one.enabled);
  const sent = [
    ...(await brokenOf(gateway, after, preamble, changed)),
    ...(isPreambleSent ? (broken?.broken ?? []) : []),
  ].filter(({ vhost }) => !was.has(vhost.id) || (own.has(vhost.id) && !isOff(vhost)));
  if (sent.length > 0) return { of: 'change', broken: sent, preamble: null };
  return { of: 'stored', reason, isRepair: steps.every(repairs(was, isPreamble)), broken };
}

const refusalOf = (asked: Promise<void>): Promise<Failure | null> =>
  asked.then(
    () => null,
    (error: unknown) => {
      if (isRejection(error)) return error;
      throw error;
    },
  );

const refusalOfPreamble = (gateway: Gateway, set: SiteSet): Promise<Failure | null> =>
  refusalOf(gateway.check({ ...set, vhosts: [] }));

/** Those of the vhosts that the proxy refuses. @param preamble why it refuses the set's, or null */
async function brokenOf(
  gateway: Gateway,
  set: SiteSet,
  preamble: Failure | null,
  vhosts: readonly Vhost[],
): Promise<readonly BrokenVhost[]> {
  const bare = { ...set, preamble: '' };
  const mayNeed = (config: string) => ORDERS.test(set.preamble) || USES_PREAMBLE.test(config);
  const judged = preamble ? vhosts.filter(({ config }) => !mayNeed(config)) : vhosts;
  const found = gateway.findBroken(preamble ? bare : set, judged);
  return (await found.catch(ifRejected(() => NONE))).broken;
}

/**
 * `was`: the ids of those vhosts that the proxy refuses as they are stored, all if it refuses the preamble;
 * `isPreamble`: whether it does.
 */
async function brokenBefore(
  { gateway, before, steps, changed }: Refused,
  later: readonly BrokenVhost[],
): Promise<{ was: ReadonlySet<number>; isPreamble: boolean }> {
  const taken = steps.flatMap((step) => (step.kind === 'vhost' && step.before) || []);
  const asked = new Set(
    [...changed, ...taken, ...later.map(({ vhost }) => vhost)].map(({ id }) => id),
  );
  const vhosts = before.vhosts.filter(({ id, enabled }) => enabled && asked.has(id));
  const preamble = await refusalOfPreamble(gateway, before);
  const broken = await brokenOf(gateway, before, preamble, vhosts);
  const all = preamble ? later : [];
  const was = new Set([...broken, ...all].map(({ vhost }) => vhost.id));
  return { was, isPreamble: preamble !== null };
}

/** Whether a step fixes a preamble that the proxy refuses, or takes away or fixes a site that the proxy refuses: others it serves still. */
const repairs =
  (broken: ReadonlySet<number>, isPreamble: boolean) =>
  (step: Step): boolean => {
    if (step.kind !== 'vhost') return step.kind === 'preamble' && isPreamble;
    return step.before !== null && broken.has(step.before.id);
  };
