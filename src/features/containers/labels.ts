/** The labels of a container that make it a site: `signalbox.domain` and others; `signalbox.1.domain` for more. Pure. */
import { getSchemaValidator, type TSchema } from 'elysia';
import { isUpstream, normalizeDomain } from '../../hub/caddyfile/address.ts';
import { fillUpstream } from '../../hub/caddyfile/render.ts';
import { blockOf, siteForm } from '../../hub/caddyfile/site.ts';
import { parseJson } from '../../shared/json.ts';
import { nearest } from '../../shared/nearest.ts';
import { oneLine } from '../../shared/one-line.ts';
import { Check } from '../../shared/wire/checks.ts';
import { type AppliedSite, PLAIN_CONFIG } from '../apply/schemas.ts';
import type { Container, Containers } from './wire.ts';

/** What an agent lets labels say. */
export type Allowed = Pick<Containers, 'labels' | 'domains'>;

/**
 * One site that labels ask for. `site`: null if they are at fault, or the container is not reached; `fault`: why,
 * a sentence; `domain`: null if it is not known.
 */
export type Labelled = {
  domain: string | null;
  /** All that it is to answer to, the domain first. */
  domains: readonly string[];
  site: AppliedSite | null;
  fault: string | null;
};

const PREFIX = 'signalbox.';
const FIELDS: readonly string[] = [
  'domain',
  'port',
  'scheme',
  'upstream',
  'policies',
  'tags',
  'check',
  'config',
];
type Group = Readonly<Record<string, string>>;

/** Of a container: enough for anybody, and too few to fill the hub. */
const MOST_SITES = 20;
/** Characters of a label that a sentence quotes. */
const MOST_QUOTED = 100;

const check = getSchemaValidator(Check as TSchema);

/** The sites that the labels of a container ask for; none if it has no label of ours. */
export function labelledSites(container: Container, allowed: Allowed): Labelled[] {
  if (container.labels === null) {
    return [noSite('Its labels have more than 64 KiB.')];
  }
  const groups = new Map<string, Record<string, string>>();
  let fault: string | null = null;
  for (const [label, value] of Object.entries(container.labels)) {
    if (!label.startsWith(PREFIX)) continue;
    const [, number = '', field = ''] = LABEL.exec(label) ?? [];
    if (!FIELDS.includes(field)) fault ??= unknownLabel(label);
    else groups.set(number, { ...groups.get(number), [field]: value.trim() });
  }
  if (groups.size > MOST_SITES) fault ??= `Its labels ask for more than ${MOST_SITES} sites.`;
  const found = [...groups].toSorted(([a], [b]) => Number(a) - Number(b));
  if (fault !== null && found.length === 0) return [noSite(fault)];
  // A misspelled label may belong to any of them.
  return found.slice(0, MOST_SITES).map(([, group]) => labelled(group, container, allowed, fault));
}

const noSite = (fault: string): Labelled => ({ domain: null, domains: [], site: null, fault });

/** `signalbox.` with a number or without one, and a field. */
const LABEL = /^signalbox\.(?:([1-9]\d?)\.)?(.*)$/s;

function unknownLabel(label: string): string {
  const near = nearest(LABEL.exec(label)?.[2] ?? '', FIELDS);
  const hint = near === undefined ? '' : ` Did you mean ${PREFIX}${near}?`;
  return `There is no label ${quoted(label)}.${hint}`;
}

function labelled(
  group: Group,
  container: Container,
  allowed: Allowed,
  fault: string | null,
): Labelled {
  const domains = listIn(group.domain);
  const [first = ''] = domains;
  const domain = normalizeDomain(first);
  try {
    if (fault !== null) throw new Fault(fault);
    if (domain === null) throw new Fault(`${quoted(first)} is not a domain.`);
    return { domain, domains, site: siteIn(group, domains, container, allowed), fault: null };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { domain, domains, site: null, fault: error.message };
  }
}

/** What is wrong with labels: a sentence. */
class Fault extends Error {}

/** @throws Fault */
function siteIn(
  group: Group,
  domains: readonly string[],
  container: Container,
  { labels, domains: bounds }: Allowed,
): AppliedSite {
  for (const domain of domains) assertWithin(domain, bounds);
  const { config: own } = group;
  if (own !== undefined && labels === 'safe') {
    throw new Fault('The agent does not allow the label signalbox.config: see DOCKER_LABELS.');
  }
  const config = own ?? PLAIN_CONFIG;
  const [domain = ''] = domains;
  const upstream = upstreamIn(group, container);
  if (siteForm(domain, fillUpstream(config, upstream)).form === 'block') {
    throw new Fault('signalbox.config is what a site block contains, without its addresses.');
  }
  const addresses = domains.flatMap((one) => normalizeDomain(one) ?? []);
  return {
    config: domains.length === 1 ? config : blockOf(addresses, config.split('\n')),
    upstream,
    policies: listIn(group.policies),
    tags: listIn(group.tags).map(oneLine),
    check: checkIn(group.check),
  };
}

/** @throws Fault unless it is a host that labels may name */
function assertWithin(domain: string, bounds: readonly string[]): void {
  const normal = normalizeDomain(domain);
  if (normal === null) throw new Fault(`${quoted(domain)} is not a domain.`);
  const host = normal.replace(/^https?:\/\//, '').replace(/:\d+$/, '');
  if (bounds.length === 0 || bounds.some((bound) => covers(bound, host))) return;
  throw new Fault(`The agent does not allow the domain ${host}: see DOCKER_DOMAINS.`);
}

/** Whether a host, or the wildcard itself, is within `*.home.example`; the star stands for one label. */
const covers = (bound: string, host: string): boolean =>
  bound.startsWith('*.') ? host.replace(/^[^.]+/, '*') === bound : host === bound;

/** By which the proxy reaches it. @throws Fault */
function upstreamIn({ upstream, port, scheme }: Group, container: Container): string {
  if (scheme !== undefined && !SCHEMES.includes(scheme)) {
    throw new Fault(`signalbox.scheme is ${SCHEMES.join(', ')}, not ${quoted(scheme)}.`);
  }
  const whole = withScheme(upstream ?? addressIn(port, container), scheme);
  if (isUpstream(whole)) return whole;
  throw new Fault(`${quoted(whole)} is not an upstream: write HOST:PORT.`);
}

/** Without one, it is HTTP. */
export const withScheme = (address: string, scheme = ''): string =>
  scheme === '' || scheme === 'http' ? address : `${scheme}://${address}`;

/** Where the proxy reaches a port of a container; null if it does not. */
export const reachedAt = (
  port: number,
  { ports, host }: Pick<Container, 'ports' | 'host'>,
): string | null =>
  ports.find((one) => one.port === port)?.address ?? (host === null ? null : `${host}:${port}`);

const SCHEMES = ['http', 'https', 'h2c'];

/** @throws Fault if it has no such port, or the proxy does not reach it */
function addressIn(port: string | undefined, { ports, host, unreached }: Container): string {
  const known = ports.map((one) => one.port);
  const number = port === undefined ? known[0] : Number(port);
  if (port === undefined && known.length !== 1) {
    const words = known.length === 0 ? 'no port' : `the ports ${listed(known)}`;
    throw new Fault(`It has ${words}: say which one with the label signalbox.port.`);
  }
  if (number === undefined || !/^[1-9]\d{0,4}$/.test(String(number)) || number > 65_535) {
    throw new Fault(`signalbox.port is not a port: ${quoted(port ?? '')}.`);
  }
  const address = reachedAt(number, { ports, host });
  if (address !== null) return address;
  throw new Fault(unreached ?? `The proxy does not reach its port ${number}: publish it.`);
}

/** A path, or a check as the API has it in JSON; null if there is none. @throws Fault */
function checkIn(text: string | undefined): Check | null {
  if (text === undefined || text === '') return null;
  const made = text.startsWith('{') ? parseJson(text) : { path: text };
  if (check.Check(made)) return made as Check;
  throw new Fault('signalbox.check is neither a path such as /health nor a check in JSON.');
}

/** Separated by commas. */
const listIn = (text = ''): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

const quoted = (text: string): string => JSON.stringify(oneLine(text).slice(0, MOST_QUOTED));

const listed = (ports: readonly number[]): string =>
  ports.join(', ').replace(/, (?=\d+$)/, ' and ');
