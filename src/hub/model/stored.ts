/** A vhost as it is stored, in the database and in the changelog: with the ids of its policies. Pure. */
import type { Policy } from '../recipes/policy.ts';
import type { Vhost } from './vhost.ts';

export type StoredVhost = Omit<Vhost, 'policies'> & Readonly<{ policies: readonly number[] }>;

export const storedOf = (vhost: Vhost): StoredVhost => ({
  ...vhost,
  policies: vhost.policies.map(({ id }) => id),
});

/** Gives vhosts their policies back; null for a vhost with one that is not among them. */
export function reviver(policies: readonly Policy[]): (stored: StoredVhost) => Vhost | null {
  const byId = new Map(policies.map((policy) => [policy.id, policy]));
  return (stored) => {
    const own = stored.policies.flatMap((id) => byId.get(id) ?? []);
    return own.length < stored.policies.length ? null : { ...stored, policies: own };
  };
}
