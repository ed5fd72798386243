/** Finds the stored vhosts that are at fault when the proxy refuses a set. */
import type { Failure } from '../../../shared/failure.ts';
import { idsAfter, type Step } from '../../model/changes.ts';
import { changedVhosts } from '../../model/entities.ts';
import { type Findings, isRejection } from '../../model/refusal.ts';
import { keysOf, type SiteSet, type Vhost } from '../../model/vhost.ts';
import type { Gateway } from './gateway.ts';

export const NONE: Findings = { broken: [], unexamined: [] };

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
  keysOf(vhost, preamble).flatMap((key) => /^(?:https?:\/\/)?([^:/{[]+)/.exec(key)?.[1] ?? []);

/** What to return instead if the proxy has refused; anything else is thrown on. */
export const ifRejected =
  <T>(instead: () => T) =>
  (error: unknown): T => {
    if (isRejection(error)) return instead();
    throw error;
  };
