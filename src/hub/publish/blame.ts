/** Finds out who is at fault when the proxy refuses a set: some of the changes, or stored vhosts. */
import { portOptions } from '../../shared/caddyfile/preamble.ts';
import { Failure } from '../../shared/failure.ts';
import { idsAfter, type Step } from '../model/changes.ts';
import { changedVhosts } from '../model/entities.ts';
import { type Findings, isRejection } from '../model/refusal.ts';
import { keysOf, type SiteSet, type Vhost } from '../model/vhost.ts';
import { type Planned, planOf, type Refusals, refuseAll, stepsOf } from './batch.ts';
import type { Gateway } from './gateway.ts';

/**
 * Goes by the line that the refusal names; without one, validates each changed vhost alone. Asks
 * only about changes: call `findStale` first.
 * @param next the set that was refused, with all of `plans` applied
 * @returns the changes at fault; `together` if each is accepted alone
 * @throws Failure if the agent can no longer be asked
 */
export async function findCulprits(
  gateway: Gateway,
  plans: readonly Planned[],
  next: SiteSet,
  error: Failure,
): Promise<Refusals | 'together'> {
  const { vhost, preamble } = error.at;
  if (vhost || preamble) {
    const culprit = vhost && planOf(plans, vhost.id);
    return refuseAll(culprit ? [culprit] : plans, error);
  }
  const steps = stepsOf(plans);
  const changed = changedVhosts(steps) ?? next.vhosts.filter(({ enabled }) => enabled);
  if (plans.length === 1 && changed.length === 1) return refuseAll(plans, error);
  const { broken } = await gateway.findBroken(next, changed).catch(ifRejected(() => NONE));
  const [first] = broken;
  if (plans.length === 1) return refuseAll(plans, first ? because(error, first.failure) : error);
  if (!first) return 'together';
  return new Map(
    broken.flatMap(({ vhost: { id }, failure }) => {
      const culprit = planOf(plans, id);
      return culprit ? [...refuseAll([culprit], because(error, failure))] : [];
    }),
  );
}

const NONE: Findings = { broken: [], unexamined: [] };

/**
 * The stored vhosts that the proxy accepted once and no longer does, if they are why it refused a
 * set, and not what was changed.
 * @param stored what is to be live without the change
 * @param next the set that was refused
 * @param steps that lead from one to the other
 * @throws Failure if the agent can no longer be asked
 */
export async function findStale(
  gateway: Gateway,
  stored: SiteSet,
  next: SiteSet,
  steps: readonly Step[],
  error: Failure,
): Promise<Findings> {
  const own = idsAfter(steps);
  const others = stored.vhosts.filter(({ id, enabled }) => enabled && !own.has(id));
  const named = error.at.vhost?.id;
  if (named !== undefined) {
    const suspects = others.filter(({ id }) => id === named);
    return (await isRefused(gateway, stored, suspects)) ? gateway.findBroken(stored, others) : NONE;
  }
  const changed = changedVhosts(steps) ?? [];
  if (await isRefused(gateway, next, changed)) return NONE;
  // If the stored preamble is refused as well, no vhost is to blame.
  return gateway.findBroken(stored, others).catch(ifRejected(() => NONE));
}

async function isRefused(gateway: Gateway, set: SiteSet, vhosts: readonly Vhost[]) {
  if (vhosts.length === 0) return false;
  return gateway.findBroken(set, vhosts).then(
    ({ broken }) => broken.length > 0,
    ifRejected(() => true),
  );
}

/**
 * The vhosts to leave out of a stored set that the proxy refuses.
 * @throws Failure `error` if that is nobody's fault; also if the agent can no longer be asked
 */
export async function findBlamable(
  gateway: Gateway,
  stored: SiteSet,
  error: Failure,
): Promise<Findings> {
  const enabled = stored.vhosts.filter((vhost) => vhost.enabled);
  const found = await gateway.findBroken(stored, enabled);
  if (found.broken.length > 0 || found.unexamined.length > 0) return found;
  const { vhost } = error.at;
  // A failed start names no line, but the host or its certificate.
  const words = new Set(error.detail?.split(/[^\w.*-]+/));
  const broken = enabled
    .filter((one) => (vhost ? one.id === vhost.id : hostsOf(one, stored).some((h) => words.has(h))))
    .map((one) => ({ vhost: one, failure: error, byLoad: true as const }));
  if (broken.length === 0) throw error;
  return { broken, unexamined: [] };
}

/** The host names of a vhost, without scheme, port and path. */
const hostsOf = (vhost: Vhost, { preamble }: SiteSet): string[] =>
  keysOf(vhost, preamble, portOptions(preamble)).flatMap(
    (key) => /^(?:https?:\/\/)?([^:/{[]+)/.exec(key)?.[1] ?? [],
  );

const ifRejected =
  <T>(instead: () => T) =>
  (error: unknown): T => {
    if (isRejection(error)) return instead();
    throw error;
  };

/** The outcome stays that of the publish; the later validation only explains it. */
const because = ({ code, message, cause }: Failure, { detail, hint, at }: Failure): Failure =>
  new Failure(code, message, { detail, hint, at, cause });
