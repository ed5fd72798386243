/** A vhost, the set of them that is published, and what every vhost must fulfil. Pure. */
import { expandPlaceholders } from '../../shared/caddyfile/placeholders.ts';
import { portOptions } from '../../shared/caddyfile/preamble.ts';
import { Failure } from '../../shared/failure.ts';
import {
  addressKey,
  isSiteAddress,
  isUpstream,
  normalizeDomain,
  type Ports,
} from '../caddyfile/address.ts';
import { fillUpstream } from '../caddyfile/render.ts';
import { addressList, siteForm } from '../caddyfile/site.ts';

/** Never changed in place: a changed vhost is a new object, so that what is known of it can be kept. */
export type Vhost = Readonly<{
  id: number;
  position: number;
  domain: string;
  config: string;
  upstream: string;
  enabled: boolean;
  createdAt: Date;
  updatedAt: Date;
}>;

/** The order of lists. */
export const byDomain = (a: Vhost, b: Vhost): number =>
  a.domain < b.domain ? -1 : a.domain > b.domain ? 1 : 0;

/** All that is published: accepted by the proxy and stored, or a candidate for it. */
export type SiteSet = Readonly<{
  preamble: string;
  /** By position. */
  vhosts: readonly Vhost[];
  /** The id the next vhost gets; an id is never used twice. */
  nextId: number;
}>;

/** What a person may say of a vhost. */
export type VhostInput = {
  domain?: string | undefined;
  config?: string | undefined;
  upstream?: string | undefined;
  enabled?: boolean | undefined;
};

const UPSTREAM = '{upstream}';

/**
 * The fields of `input` in their stored form.
 * @throws Failure INVALID_REQUEST
 */
export function normalize(domain: string, config: string, upstream: string) {
  if (domain.trim() === '') throw invalid('domain', 'A domain is needed.');
  if (config.trim() === '') throw invalid('config', 'A config is needed.');
  const target = upstream.trim();
  if (target !== '' && !isUpstream(target)) {
    throw invalid(
      'upstream',
      'The upstream must be host:port, or http://, https:// or h2c:// with a host.',
    );
  }
  if (target === '' && config.includes(UPSTREAM)) {
    throw invalid('upstream', 'The config uses {upstream}, but no upstream is set.');
  }
  if (!config.isWellFormed()) throw invalid('config', 'The config is not valid Unicode.');
  const text = fillUpstream(config, target);
  return { domain: normalizedDomain(domain.trim(), text), config, upstream: target };
}

function normalizedDomain(domain: string, config: string): string {
  const form = siteForm(domain, config);
  if (form.form === 'body') {
    const normal = normalizeDomain(domain);
    if (normal) return normal;
    throw invalid(
      'domain',
      'The domain must be a host name, optionally with http://, https:// or a port.',
    );
  }
  const read = addressList(expandPlaceholders(config)) ?? [];
  const wrong = read.find((address) => address !== '' && !isSiteAddress(address));
  if (wrong === undefined) return form.addresses[0] ?? domain;
  throw invalid(
    'config',
    'The block has an address that is not an http:// or https:// site with a valid port.',
  );
}

/** A block's addresses as written and, where they hold placeholders, with the defaults put in. */
function blockAddresses(written: readonly string[], config: string): string[] {
  const read = addressList(expandPlaceholders(config)) ?? [];
  return [...new Set([...written, ...read])];
}

const addresses = new WeakMap<Vhost, { preamble: string; keys: readonly string[] }>();

/** The normal forms of all addresses a vhost answers to under a preamble, which has these ports. */
export function keysOf(vhost: Vhost, preamble: string, ports: Ports): readonly string[] {
  const known = addresses.get(vhost);
  if (known?.preamble === preamble) return known.keys;
  const config = fillUpstream(vhost.config, vhost.upstream);
  const form = siteForm(vhost.domain, config);
  const all = form.form === 'block' ? blockAddresses(form.addresses, config) : [vhost.domain];
  const keys = all.map((address) => addressKey(address, ports));
  addresses.set(vhost, { preamble, keys });
  return keys;
}

/** @throws Failure DOMAIN_TAKEN where another vhost of the set answers to one of its addresses */
export function assertFree(vhost: Vhost, { preamble, vhosts }: SiteSet): void {
  const ports = portOptions(preamble);
  const wanted = new Set(keysOf(vhost, preamble, ports));
  for (const other of vhosts) {
    if (other.id === vhost.id) continue;
    if (!keysOf(other, preamble, ports).some((key) => wanted.has(key))) continue;
    throw new Failure('DOMAIN_TAKEN', `Another vhost (${other.domain}) already has this domain.`, {
      at: { field: 'domain' },
    });
  }
}

const invalid = (field: keyof VhostInput, message: string) =>
  new Failure('INVALID_REQUEST', message, { at: { field } });
