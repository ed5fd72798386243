/** Hosts of NPM as sites: what they say, and what nginx made of it. Pure. */
import { isUpstream } from '../../../hub/caddyfile/address.ts';
import { fillUpstream } from '../../../hub/caddyfile/render.ts';
import { blockOf } from '../../../hub/caddyfile/site.ts';
import type { ImportedSite } from '../../import/caddyfile/split.ts';
import {
  hstsPolicy,
  missingList,
  type Protection,
  protectionOfClients,
  type WantedPolicy,
} from './access.ts';
import { addressesOf } from './addresses.ts';
import { type Body, bodyOf, type Wanted } from './nginx/body.ts';
import { commented } from './nginx/words.ts';
import type { Remark } from './notes.ts';
import { certificateRemarks, hstsRemarks, isGuard, remarksOf } from './remarks.ts';
import type { AnyHost, ProxyHost, StoredCertificate } from './rows.ts';

export type MovedSite = ImportedSite & {
  /** All of them, the domain first. */
  addresses: readonly string[];
  enabled: boolean;
  policies: readonly WantedPolicy[];
};

/** What hosts refer to, and share. */
type Around = {
  certificates: ReadonlyMap<number, StoredCertificate>;
  lists: ReadonlyMap<number, Protection>;
  /** Whether uploaded certificates come along. */
  takesCertificates: boolean;
  /** Names that are served over HTTPS only, by the wildcards over plain HTTP that have them too. */
  secure: ReadonlyMap<string, readonly string[]>;
  /** Keys of the addresses that hosts before have. */
  taken: Set<string>;
};

export type Moved = { host: AnyHost; site: MovedSite; remarks: readonly Remark[] };

export function movedHost(host: AnyHost, around: Around): Moved {
  // Without one, or with a deleted one, nginx ignores all flags of TLS.
  const certificate = around.certificates.get(host.certificateId);
  const scheme = certificate ? (host.isForcedToHttps ? 'https' : 'both') : 'http';
  const named = addressesOf(host.domains, scheme, around.taken);
  const isNamed = named.addresses.length > 0;
  const addresses = isNamed ? named.addresses : [`http://npm-${host.kind}-${host.id}.invalid`];
  const [domain = ''] = addresses;
  const protections = host.kind === 'proxy' ? listsOf(host, around) : [];
  const rest = restOf(host);
  const body = bodyOf({
    rest: rest.rest,
    advanced: host.advanced,
    locations: host.kind === 'proxy' ? host.locations : [],
    stripsAuthorization: protections.some((one) => one.stripsAuthorization),
    hasAccessList: protections.length > 0,
  });
  const hasBoth = protections.length > 0 && body.clients.length > 0;
  if (body.clients.length > 0) {
    protections.push(protectionOfClients(domain.replace(/^https?:\/\//, ''), body.clients));
  }
  const hsts =
    certificate && host.isForcedToHttps && host.hsts !== 'none' ? [hstsPolicy(host.hsts)] : [];
  const remarks = [
    ...named.remarks,
    ...(isNamed ? [] : [NAMELESS]),
    ...faultsOf(host, rest, body),
    ...protections.flatMap((one) => one.remarks),
    ...(hasBoth ? [BOTH] : []),
    ...body.remarks,
    ...certificateRemarks(host, certificate, around.takesCertificates),
    ...(hsts.length > 0 ? hstsRemarks(host.hsts) : []),
    ...remarksOf(host, protections.length > 0),
  ];
  const site = {
    domain,
    addresses,
    config: configOf(addresses, [
      ...(isNamed ? [] : commented(`server_name ${host.domains.join(' ')};`)),
      ...redirectsUnder(addresses, around),
      ...body.lines,
    ]),
    upstream: rest.upstream,
    enabled: host.isEnabled && !remarks.some(({ level }) => level === 'error'),
    policies: [...protections.flatMap((one) => one.policies), ...hsts],
  };
  return { host, site, remarks };
}

const BOTH: Remark = {
  level: 'warning',
  text: 'It has an access list and “allow” or “deny” in its nginx text. NPM takes one of them; here a visitor has to pass both.',
};

const NAMELESS: Remark = {
  level: 'error',
  text: 'Caddy can serve it under none of its names, which are in its config as a comment. Give it an address, and switch it on.',
};

/** A list that is not there protects nothing in NPM. */
const listsOf = ({ accessListId: id }: ProxyHost, { lists }: Around): Protection[] =>
  id === 0 ? [] : [lists.get(id) ?? missingList(id)];

type Rest = Pick<Wanted, 'rest'> & {
  upstream: string;
  /** Why nginx could not have meant this. */
  fault: string | null;
  remarks: readonly Remark[];
};

/** What answers where no nginx text does. */
function restOf(host: AnyHost): Rest {
  const plain = { upstream: '', fault: null, remarks: [] };
  if (host.kind === 'dead') return { ...plain, rest: { lines: ['respond 404'] } };
  if (host.kind === 'redirection') {
    const target = `${host.scheme === 'auto' ? '{scheme}' : host.scheme}://${host.target}`;
    if (TARGET.test(host.target) && host.code >= 300 && host.code <= 308) {
      const line = `redir ${target}${host.keepsPath ? '{uri}' : ''} ${host.code}`;
      const remarks = LOCATING.has(host.code) ? [] : [REDIRECTED];
      return { ...plain, rest: { lines: [line] }, remarks };
    }
    return {
      ...plain,
      rest: { lines: [...commented(`return ${host.code} ${target}`), 'respond 404'] },
      fault: `Its target in NPM is no address: ${host.target}`,
    };
  }
  const { scheme, host: name, port } = host.to;
  const trimmed = name.trim().replace(`${scheme}://`, '');
  const bracketed = /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f.]*$/i.test(trimmed) ? `[${trimmed}]` : trimmed;
  const upstream = `${scheme === 'https' ? 'https://' : ''}${bracketed}:${port}`;
  if (isUpstream(upstream) && !bracketed.includes('//') && /^https?$/.test(scheme)) {
    const remarks = bracketed === name ? [] : [CORRECTED];
    return { ...plain, rest: { upstream }, upstream, remarks };
  }
  const given = `${scheme}://${name}:${port}`;
  return {
    ...plain,
    rest: { lines: [...commented(`proxy_pass ${given}`), 'respond 502'] },
    fault: `It forwards to ${given} in NPM, which is no address of a service.`,
  };
}

/** A host, and perhaps a port, a path and a query, without anything that means more to Caddy or nginx. */
export const TARGET = /^[\w.[\]:-]+(?:[/?#][\w./?#[\]:@!&'()*+,;=%~-]*)?$/;

/** With which nginx sends a Location. */
const LOCATING = new Set([301, 302, 303, 307, 308]);
const REDIRECTED: Remark = {
  level: 'warning',
  text: 'With the status that it has in NPM, nginx does not say where the new address is. Here visitors are redirected.',
};

const CORRECTED: Remark = {
  level: 'warning',
  text: 'NPM could not reach its service, because the forward host has spaces around it, a scheme in it, or is an IPv6 address without brackets. Here it is corrected.',
};

/** Why it is off until somebody decides. */
function faultsOf(host: AnyHost, { fault, remarks }: Rest, { unsayable }: Body): Remark[] {
  const guards = host.unknown.filter(isGuard);
  const texts = [
    ...(host.fault === null
      ? []
      : [
          `NPM shows it as on, but nginx refused it, so nobody could visit it. If you need it, look at its config and switch it on. nginx said: ${reasonIn(host.fault)}`,
        ]),
    ...(fault === null ? [] : [`${fault} Set its upstream, and switch it on.`]),
    ...unsayable.map((reason) => `${reason} NPM's text is in its config as a comment.`),
    ...guards.map(
      (name) =>
        `The setting ${name} of this variant of NPM may protect it, and cannot be imported.`,
    ),
  ];
  return [...texts.map((text) => ({ level: 'error' as const, text })), ...remarks];
}

/** The error in what nginx wrote, which has warnings about other hosts too. */
const reasonIn = (output: string): string =>
  /\[emerg\] (.*)/.exec(output)?.[1] ?? (output.trim().split('\n')[0] || 'it does not say why.');

/** Caddy's own redirects to HTTPS come after a site for plain HTTP whose wildcard has their names, too. */
function redirectsUnder(addresses: readonly string[], { secure }: Around): string[] {
  const names = addresses.flatMap((address) => secure.get(address) ?? []);
  if (names.length === 0) return [];
  return [`@secure host ${names.join(' ')}`, 'redir @secure https://{host}{uri} 308'];
}

/** The body of a site with one address, or a whole block for several. */
const configOf = (addresses: readonly string[], lines: readonly string[]): string =>
  addresses.length === 1 ? lines.join('\n') : blockOf(addresses, lines);

/** A site that cannot be stored as it is: off, with its config as a comment. */
export const withoutConfig = (site: MovedSite): MovedSite => ({
  ...site,
  enabled: false,
  upstream: '',
  config: configOf(site.addresses, [
    ...commented(fillUpstream(site.config, site.upstream)),
    'respond 502',
  ]),
});
