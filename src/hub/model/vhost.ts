/** A vhost, the set of vhosts that is published, and the rules every vhost must follow. Pure. */

import { portOptions } from '../../shared/caddyfile/globals.ts';
import { expandPlaceholders, UPSTREAM } from '../../shared/caddyfile/placeholders.ts';
import { Failure } from '../../shared/failure.ts';
import { memoize } from '../../shared/memoize.ts';
import type { Check } from '../../shared/wire/checks.ts';
import {
  addressKey,
  isSiteAddress,
  isUpstream,
  normalizeDomain,
  pathHint,
} from '../caddyfile/address.ts';
import { fillUpstream } from '../caddyfile/render.ts';
import { addressList, siteForm } from '../caddyfile/site.ts';
import type { Policy } from '../recipes/policy.ts';
import type { StoredAgent } from './agent.ts';
import type { Certificate } from './certificate.ts';

/** Immutable: a changed vhost is a new object, so that what follows from one can be cached. */
export type Vhost = Readonly<{
  id: number;
  /** Vhosts are rendered in this order. */
  position: number;
  domain: string;
  config: string;
  upstream: string;
  enabled: boolean;
  /** In the order in which they come before the config. */
  policies: readonly Policy[];
  /** The ids, sorted, of policies that apply everywhere but not here; some may be deleted by now. */
  except: readonly number[];
  tags: readonly string[];
  /** The ids of the agents it is placed on; empty: all. */
  agents: readonly number[];
  /** How it must answer for a change to be accepted; null: no check. */
  check: Check | null;
  /** What keeps it as it is, such as a file; null: people do. */
  source: string | null;
  /** The digest of what the source last made of it; null as `source`. */
  applied: string | null;
  createdAt: Date;
  updatedAt: Date;
}>;

/** Whether a domain that someone typed is that of a site. */
export const isNamed = (domain: string, site: { domain: string }): boolean =>
  domain === site.domain || addressKey(domain) === addressKey(site.domain);

/** As vhosts are rendered and stored. Of two at one place, one was made there while the other was deleted. */
export const byPosition = (
  a: Pick<Vhost, 'position' | 'id'>,
  b: Pick<Vhost, 'position' | 'id'>,
): number => a.position - b.position || a.id - b.id;

/** Sorts lists that people see. */
export const byDomain = (a: Pick<Vhost, 'domain'>, b: Pick<Vhost, 'domain'>): number =>
  a.domain < b.domain ? -1 : a.domain > b.domain ? 1 : 0;

/** Everything that is published: accepted by the proxy and stored, or a candidate for that. */
export type SiteSet = Readonly<{
  preamble: string;
  /** Sorted by `byPosition`. */
  vhosts: readonly Vhost[];
  /** The id the next vhost gets; an id is never used twice. */
  nextId: number;
  /** Sorted by name. */
  policies: readonly Policy[];
  nextPolicyId: number;
  /** The first agent first, then by name. */
  agents: readonly StoredAgent[];
  nextAgentId: number;
  /** The problems that people know of. */
  known: readonly KnownProblem[];
  nextKnownId: number;
  /** Those that the hub keeps, by id. */
  certificates: readonly Certificate[];
  nextCertificateId: number;
  /** Addresses and names of policies may clash until all changes of a request are planned, see `placedAtOnce`. */
  isUnsettled?: true;
}>;

/** A set's vhosts as people see them. */
export const sortedByDomain = memoize(({ vhosts }: SiteSet): readonly Vhost[] =>
  vhosts.toSorted(byDomain),
);

/** For whoever looks up many of them. */
export const vhostsById = memoize(
  ({ vhosts }: SiteSet): ReadonlyMap<number, Vhost> => new Map(vhosts.map((one) => [one.id, one])),
);

/** That a problem is known, until it is over, or for some time. */
export type KnownProblem = Readonly<{
  id: number;
  /** Which one, as `markOf` has it. */
  problem: string;
  /** The same for people, as it was then. */
  words: string;
  /** ISO 8601; null: until it is over. */
  until: string | null;
  /** The name of the person who said so last. */
  by: string;
  createdAt: Date;
  updatedAt: Date;
}>;

/** Nothing at all. */
export const EMPTY_SET: SiteSet = {
  preamble: '',
  vhosts: [],
  nextId: 1,
  policies: [],
  nextPolicyId: 1,
  agents: [],
  nextAgentId: 1,
  known: [],
  nextKnownId: 1,
  certificates: [],
  nextCertificateId: 1,
};

/** The fields that can be changed. */
export const FIELDS = [
  'domain',
  'config',
  'upstream',
  'enabled',
  'policies',
  'except',
  'tags',
  'agents',
  'check',
  'source',
] as const;
export type Field = (typeof FIELDS)[number];

/** What a person sends: policies and agents go by their names. */
export type VhostInput = {
  domain?: string | undefined;
  config?: string | undefined;
  upstream?: string | undefined;
  enabled?: boolean | undefined;
  policies?: readonly string[] | undefined;
  except?: readonly string[] | undefined;
  tags?: readonly string[] | undefined;
  agents?: readonly string[] | undefined;
  /** Null for none. */
  check?: Check | null | undefined;
  /** Of a new one. */
  source?: string | null | undefined;
  /** Of one that is there. */
  kept?: Kept | undefined;
};

/** What keeps a vhost or a policy as it is. */
export type Kept = Pick<Vhost, 'source' | 'applied'>;

/** A vhost, or one as it is stored: with the ids of its policies. */
type Version = Pick<Vhost, Exclude<Field, 'policies'>> &
  Readonly<{ policies: readonly (Policy | number)[] }>;

/** Fields that are no plain values. */
const LISTED: readonly Field[] = ['except', 'tags', 'agents', 'check'];

/** The fields in which two versions of a vhost differ. That a policy itself changed is no difference. */
export const changedFields = (one: Version, other: Version): readonly Field[] =>
  FIELDS.filter((field) => {
    // Older entries of the changelog have none.
    if (field === 'source') return (one.source ?? null) !== (other.source ?? null);
    if (one[field] === other[field]) return false;
    if (field === 'policies') return !Bun.deepEquals(idsOf(one), idsOf(other));
    return LISTED.includes(field) ? !Bun.deepEquals(one[field], other[field]) : true;
  });

const idsOf = ({ policies }: Version): number[] =>
  policies.map((policy) => (typeof policy === 'number' ? policy : policy.id));

/** The vhosts that a change has created or changed, as they are after it. */
export function changedVhosts({ before, after }: { before: SiteSet; after: SiteSet }): Vhost[] {
  const known = new Set(before.vhosts);
  return after.vhosts.filter((vhost) => !known.has(vhost));
}

/** A config that sets `{upstream}` itself, for each request: then it is Caddy's to replace. */
const SETS_UPSTREAM = /(?:^|\n)[^\S\n]*map[^\S\n].*\{upstream\}/;

/** How many characters a config may grow by when the upstream is filled in. */
const MAX_FILLING = 1024 * 1024;

/**
 * The fields in the form they are stored in.
 * @throws Failure INVALID_REQUEST with the field at fault
 */
export function normalize(domain: string, config: string, upstream: string) {
  if (domain.trim() === '') throw invalid('domain', 'The domain is required.');
  if (config.trim() === '') throw invalid('config', 'The config is required.');
  const target = upstream.trim();
  if (target !== '' && !isUpstream(target)) {
    throw invalid(
      'upstream',
      'The upstream must be host:port, or an http://, https:// or h2c:// address without a path.',
      pathHint(target),
    );
  }
  if (target === '' && config.includes(UPSTREAM) && !SETS_UPSTREAM.test(config)) {
    throw invalid('upstream', 'The config uses {upstream}, but no upstream is set.');
  }
  if (!config.isWellFormed()) throw invalid('config', 'The config is not valid Unicode.');
  const text = fillUpstream(config, target);
  if (text.length > config.length + MAX_FILLING) {
    throw invalid('config', 'The config is too long with the upstream filled in.');
  }
  return { domain: normalizedDomain(domain.trim(), text), config, upstream: target };
}

function normalizedDomain(domain: string, config: string): string {
  const form = siteForm(domain, config);
  if (form.form === 'body') {
    const normal = normalizeDomain(domain);
    if (normal) return normal;
    throw invalid(
      'domain',
      'The domain must be a host name, optionally with http:// or https:// and a port.',
    );
  }
  const wrong = expandedAddresses(config).find(
    (address) => address !== '' && !isSiteAddress(address),
  );
  if (wrong === undefined) return form.addresses[0] ?? domain;
  throw invalid(
    'config',
    'Every address of the block must be for HTTP or HTTPS, and its port valid.',
  );
}

/** A block's addresses with the default of each `{$NAME:default}` filled in. */
const expandedAddresses = (config: string): string[] =>
  addressList(expandPlaceholders(config)) ?? [];

const addresses = new WeakMap<Vhost, { preamble: string; keys: readonly string[] }>();

/**
 * The normal forms of all addresses a vhost answers to under a preamble, both as written and with defaults filled in.
 */
export function keysOf(vhost: Vhost, preamble: string): readonly string[] {
  const known = addresses.get(vhost);
  if (known?.preamble === preamble) return known.keys;
  const config = fillUpstream(vhost.config, vhost.upstream);
  const form = siteForm(vhost.domain, config);
  const all =
    form.form === 'block' ? [...form.addresses, ...expandedAddresses(config)] : [vhost.domain];
  const ports = portOptions(preamble);
  const keys = [...new Set(all)].map((address) => addressKey(address, ports));
  addresses.set(vhost, { preamble, keys });
  return keys;
}

/** The vhosts of a set by the normal forms of their addresses. */
type Owners = { preamble: string; byKey: Map<string, readonly Vhost[]> };
const owners = new WeakMap<SiteSet['vhosts'], Owners>();

function ownersOf({ preamble, vhosts }: SiteSet): Owners {
  const known = owners.get(vhosts);
  if (known?.preamble === preamble) return known;
  const made: Owners = { preamble, byKey: new Map() };
  for (const vhost of vhosts) addTo(made, vhost);
  owners.set(vhosts, made);
  return made;
}

function addTo({ preamble, byKey }: Owners, vhost: Vhost): void {
  for (const key of keysOf(vhost, preamble)) {
    byKey.set(key, [...(byKey.get(key) ?? []), vhost]);
  }
}

/**
 * Notes that `next` is `set` with `after` in place of `before`. What is known of the addresses of
 * `set` moves on to `next`: otherwise thousands of changes in one request would take minutes.
 */
export function follows(set: SiteSet, next: SiteSet, before?: Vhost, after?: Vhost): void {
  const known = owners.get(set.vhosts);
  owners.delete(set.vhosts);
  if (known?.preamble !== next.preamble) return;
  if (before) {
    for (const key of keysOf(before, known.preamble)) {
      const others = known.byKey.get(key)?.filter((one) => one !== before) ?? [];
      if (others.length > 0) known.byKey.set(key, others);
      else known.byKey.delete(key);
    }
  }
  if (after) addTo(known, after);
  owners.set(next.vhosts, known);
}

/** The other vhosts of the set that answer to one of its addresses. */
export function rivalsOf(vhost: Vhost, set: SiteSet): Vhost[] {
  const { preamble, byKey } = ownersOf(set);
  const others = new Set(keysOf(vhost, preamble).flatMap((key) => byKey.get(key) ?? []));
  return [...others].filter(({ id }) => id !== vhost.id);
}

/** @throws Failure DOMAIN_TAKEN if another vhost of the set answers to one of its addresses */
export function assertFree(vhost: Vhost, set: SiteSet): void {
  if (set.isUnsettled) return;
  const [other] = rivalsOf(vhost, set);
  if (other) throw domainTaken(other);
}

export const domainTaken = ({ domain }: Vhost, hint?: string) =>
  new Failure('DOMAIN_TAKEN', `Another site (${domain}) already has this domain.`, {
    hint,
    at: { field: 'domain' },
  });

/** Per vhost. */
export const MAX_TAGS = 20;
/** Characters. */
export const MAX_TAG_LENGTH = 40;

/** The policies of a set by their names, in this order. @throws Failure INVALID_REQUEST at `field` */
export function policiesNamed(
  names: readonly string[],
  { policies }: SiteSet,
  field: 'policies' | 'except' = 'policies',
): Policy[] {
  if (new Set(names).size < names.length) throw invalid(field, 'A policy is named twice.');
  return names.map((name) => {
    const policy = policies.find((one) => one.name === name);
    if (policy) return policy;
    throw invalid(field, `There is no policy ${JSON.stringify(name)}.`);
  });
}

/** Tags without spaces around them, each once. @throws Failure INVALID_REQUEST */
export function tagsOf(texts: readonly string[]): string[] {
  const tags = [...new Set(texts.map((text) => text.trim()))];
  if (tags.includes('')) throw invalid('tags', 'A tag is empty.');
  if (tags.some((tag) => tag.length > MAX_TAG_LENGTH)) {
    throw invalid('tags', `A tag has at most ${MAX_TAG_LENGTH} characters.`);
  }
  if (tags.length > MAX_TAGS) throw invalid('tags', `A site has at most ${MAX_TAGS} tags.`);
  return tags;
}

const invalid = (field: Field, message: string, hint?: string) =>
  new Failure('INVALID_REQUEST', message, { hint, at: { field } });
