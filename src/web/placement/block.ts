/** Plans how an address is blocked on a site, or on all of them. Pure. */
import { namesOf } from '../lib/names.ts';
import type { Policy, Vhost } from '../lib/types.ts';
import { freeName } from './store.ts';

export type BlockPlan =
  /** It is blocked there already. */
  | { kind: 'done'; policy: Policy }
  /** The policy gets the address, and is put on these sites. */
  | { kind: 'extend'; policy: Policy; on: readonly Vhost[]; everywhere: boolean }
  | { kind: 'create'; name: string; on: readonly Vhost[]; everywhere: boolean };

/** @param site null: all of them, and those that come later */
export function planBlock(
  address: string,
  site: Vhost | null,
  policies: readonly Policy[],
  all: readonly Vhost[],
): BlockPlan {
  const meant = site ? [site] : all;
  const ids = meant.map(({ id }) => id);
  const blocks = policies.filter(({ recipe }) => recipe === 'block');
  const isWide = site === null;
  const coversAll = ({ vhosts, everywhere }: Policy) =>
    ids.every((id) => vhosts.includes(id)) && (everywhere || !isWide);
  const known = blocks.find((one) => networksOf(one).includes(address) && coversAll(one));
  if (known) return { kind: 'done', policy: known };

  // One that is on other sites as well would block there too.
  const name = site ? `blocked-${slugOf(site.domain) || 'site'}` : 'blocked';
  const fitting = blocks.filter(
    ({ vhosts, everywhere }) => vhosts.every((id) => ids.includes(id)) && (isWide || !everywhere),
  );
  const policy =
    fitting.find((one) => one.vhosts.length > 0 && coversAll(one)) ??
    fitting.find((one) => one.name === name);
  if (policy) {
    const on = meant.filter(({ id }) => !policy.vhosts.includes(id));
    return { kind: 'extend', policy, on, everywhere: isWide };
  }
  const taken = policies.map((one) => one.name);
  return { kind: 'create', name: freeName(name, taken), on: meant, everywhere: isWide };
}

export const networksOf = ({ values }: Pick<Policy, 'values'>): string[] =>
  Array.isArray(values.networks) ? values.networks.map(String) : [];

/** Characters that a name has left after `blocked-`, and for a number. */
const MAX_SLUG = 28;

/** `app-example-org`. */
const slugOf = (domain: string): string =>
  domain
    .replace(/^https?:\/\//, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replace(/^-|-$/g, '');

/** The site of an access-log entry: the one with this host name; else the one with a fitting pattern. */
export function siteOf(host: string, sites: readonly Vhost[]): Vhost | null {
  const named = (isIt: (name: string) => boolean) =>
    sites.find((site) => namesOf(site).some(isIt)) ?? null;
  const isPattern = (name: string) => name.startsWith('*.') && isUnder(host, name.slice(1));
  return named((name) => name === host) ?? named(isPattern);
}

/** Whether a host is one label below a domain such as `.example.org`. */
const isUnder = (host: string, domain: string): boolean =>
  host.endsWith(domain) && /^[^.]+$/.test(host.slice(0, -domain.length));
