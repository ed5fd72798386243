/** What is read of the labels of a container, in either language. Pure. */
import { isUpstream, normalizeDomain } from '../../../hub/caddyfile/address.ts';
import { reachedAt, withScheme } from '../labels.ts';
import type { SeenContainer } from '../sites.ts';

/** A site that labels ask for. */
export type Found = {
  /** In their normal form; at least one. */
  domains: readonly string[];
  /** With `{upstream}`; a whole block if there are several domains. */
  config: string;
  upstream: string;
  /** The lines of labels that are a Caddyfile, which those of other containers may add to. */
  lines?: string;
  /** What is not taken over of it, a sentence each. */
  notes: readonly string[];
};

export type Read = {
  sites: readonly Found[];
  /** About labels that made no site, a line each. */
  notes: readonly string[];
  /** Domains that should not be served before somebody has looked at them, and why. */
  unsafe: readonly (readonly [domain: string, why: string])[];
};

/** Why a site is not served at once. */
export const notConverted = ({ name }: SeenContainer): string =>
  `other labels for it, of ${name}, were not converted`;

/** Why labels cannot be converted: a sentence. */
export class Fault extends Error {}

/** The normal form of a domain. @throws Fault */
export function domainIn(text: string): string {
  const domain = normalizeDomain(text);
  // No file of sites can have it.
  if (domain !== null && domain !== '__proto__') return domain;
  throw new Fault(`${quoted(text)} is not a domain.`);
}

/** A config for one domain or several; `lines` are indented so often. */
export const configFor = (domains: readonly string[], lines: (depth: number) => string): string =>
  domains.length === 1 ? lines(0) : `${domains.join(', ')} {\n${lines(1)}\n}`;

/** By which Caddy reaches a port. @throws Fault */
export function addressOf(port: number, scheme: string, container: SeenContainer): string {
  const address = reachedAt(port, container);
  const whole = address === null ? '' : withScheme(address, scheme);
  if (isUpstream(whole)) return whole;
  throw new Fault(`Caddy does not reach port ${port} of the container: publish it.`);
}

/** The beginning of a text from a label. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text);

const MOST_QUOTED = 200;
