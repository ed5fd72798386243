/** All that comes along from NPM: sites, policies, certificates, and what there is to say about them. Pure. */

import { createPauses } from '../../../shared/async.ts';
import { isQuotable } from '../../recipes/quote.ts';
import { respond, typed } from '../../recipes/respond.ts';
import { protectionOf, type WantedPolicy } from './access.ts';
import { addressesOf } from './addresses.ts';
import { configOf, type Moved, type MovedSite, movedHost, TARGET } from './hosts.ts';
import type { Note } from './notes.ts';
import type { AnyHost, Rows, StoredCertificate } from './rows.ts';

export type Moving = {
  sites: readonly MovedSite[];
  /** Those that sites have. */
  policies: readonly WantedPolicy[];
  /** Uploaded ones, if they come along. */
  certificates: readonly StoredCertificate[];
  notes: readonly Note[];
};

/** @param takesCertificates whether uploaded certificates come along, with their keys */
export async function movingOf(rows: Rows, takesCertificates: boolean): Promise<Moving> {
  const pause = createPauses();
  const notes: Note[] = [];
  const lists = new Map(rows.accessLists.map((list) => [list.id, protectionOf(list)]));
  const certificates = new Map(rows.certificates.map((one) => [one.id, one]));
  const hosts = inOrderOfNginx(rows);
  const secure = hosts
    .filter(
      (host) => isServed(host) && host.isForcedToHttps && certificates.has(host.certificateId),
    )
    .flatMap(({ domains }) => addressesOf(domains, 'https', new Set()).addresses);
  const around = {
    ...{ certificates, lists, takesCertificates, taken: new Set<string>() },
    secure: Map.groupBy(secure, (name) => `http://${name.replace(/^[^.]+/, '*')}`),
  };
  const found: Moved[] = [];
  for (const host of hosts) {
    found.push(movedHost(host, around));
    await pause();
  }
  const moved = found.toSorted(byRow);
  const sites = moved.map(({ site }) => site);
  for (const { site, remarks } of moved) {
    notes.push(...remarks.map((remark) => ({ domain: site.domain, ...remark })));
  }
  const unknown = unknownNames(rows.defaultSite);
  if (unknown.site) sites.push(unknown.site);
  notes.push(...unknown.notes);
  const policies = [...new Set(sites.flatMap((site) => site.policies))];
  const usedCertificates = new Set(moved.map(({ host }) => host.certificateId));
  notes.push(...generalNotes(rows, moved));
  return {
    sites,
    policies,
    certificates: takesCertificates
      ? rows.certificates.filter(({ id, pair }) => pair !== null && usedCertificates.has(id))
      : [],
    notes,
  };
}

const KINDS = ['proxy', 'redirection', 'dead'] as const;

const isServed = (host: AnyHost): boolean => host.isEnabled && host.fault === null;

/** The first of two hosts with one name is served; what is not served comes last. */
function inOrderOfNginx({ proxies, redirections, dead }: Rows): AnyHost[] {
  const all: AnyHost[] = [...proxies, ...redirections, ...dead].toSorted(
    (a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || (`${a.id}` < `${b.id}` ? -1 : 1),
  );
  return [...all.filter(isServed), ...all.filter((host) => !isServed(host))];
}

const byRow = ({ host: a }: Moved, { host: b }: Moved): number =>
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.id - b.id;

/** What names get that no host has. */
function unknownNames({ value, redirect, html }: Rows['defaultSite']): {
  site: MovedSite | null;
  notes: Note[];
} {
  const linesOf: Record<string, () => string[] | null> = {
    '404': () => ['respond 404'],
    '444': () => ['abort'],
    redirect: () =>
      TARGET.test(redirect.replace(/^https?:\/\//, '')) ? [`redir ${redirect} 301`] : null,
    html: () => (isQuotable(html) ? [...typed('', html), respond('', html, 200)] : null),
  };
  const lines = linesOf[value]?.() ?? null;
  const site = lines && {
    ...{ domain: 'http://', upstream: '', enabled: true, policies: [] },
    config: configOf(['http://'], lines, true),
  };
  const text = site
    ? 'NPM’s default site becomes a site for all other names over HTTP.'
    : 'NPM’s default site is not taken over: Caddy answers other names over HTTP with an empty page. The recipe “Unknown hosts” makes a site for them.';
  return { site, notes: [{ domain: site?.domain ?? null, level: 'info', text }] };
}

function generalNotes(rows: Rows, moved: readonly Moved[]): Note[] {
  const about = (level: Note['level'], text: string): Note => ({ domain: null, level, text });
  const streams = rows.streams.map(
    ({ port, protocols, to }) => `${port} (${protocols.join(' and ') || 'off'}) to ${to}`,
  );
  const used = new Set(rows.proxies.map(({ accessListId }) => accessListId));
  const unused = rows.accessLists.filter(({ id }) => !used.has(id)).map(({ name }) => name);
  const issued = rows.certificates.filter(({ provider }) => provider !== 'other');
  const isIssued = ({ certificateId }: AnyHost) => issued.some(({ id }) => id === certificateId);
  return [
    ...(moved.some(({ host }) => host.isForcedToHttps)
      ? [about('info', 'Caddy redirects plain HTTP to HTTPS with status 308, NPM with 301.')]
      : []),
    ...(moved.some(({ host }) => isIssued(host)) ? [about('info', CHALLENGES)] : []),
    ...(rows.proxies.length > 0 ? [about('info', WEBSOCKETS), about('info', OWN_FILES)] : []),
    ...(moved.some(({ host }) => hasLocations(host)) ? [about('info', PATHS)] : []),
    ...(moved.some(({ site }) => site.policies.some(hasNetworks))
      ? [about('warning', REAL_ADDRESS)]
      : []),
    ...(moved.some(({ host }) => host.kind === 'proxy')
      ? [
          about(
            'info',
            'Services get X-Forwarded-For, -Proto and -Host, but no longer X-Real-IP and X-Forwarded-Scheme. If one needs it: header_up X-Real-IP {remote_host} in its reverse_proxy.',
          ),
        ]
      : []),
    ...(streams.length > 0
      ? [
          about(
            'warning',
            `signalbox serves HTTP only, so streams stay behind: ${streams.join('; ')}.`,
          ),
        ]
      : []),
    ...(unused.length > 0
      ? [
          about(
            'info',
            `No host has these access lists, so they stay behind: ${unused.join(', ')}.`,
          ),
        ]
      : []),
    ...(rows.users > 0
      ? [
          about(
            'info',
            `Accounts stay behind (${rows.users}): invite their people on the page Users.`,
          ),
        ]
      : []),
  ];
}

const CHALLENGES =
  'NPM itself answers /.well-known/acme-challenge/ for hosts with a certificate of Let’s Encrypt. Here only Caddy’s own challenges are answered, and other requests for it reach the service.';
const WEBSOCKETS =
  'Caddy lets WebSockets through to all services, NPM only for hosts with “Websockets Support”, and not in the locations of their own nginx text.';
const OWN_FILES =
  'Files that you added in NPM’s folder data/nginx/custom are not in its database: what they do is not taken over.';
const PATHS =
  'Caddy compares paths without regard to case, nginx with it. Where nginx replaces a part of the path, it also decodes the rest and resolves // and .. in it; Caddy leaves it as it is.';
const REAL_ADDRESS =
  'NPM believes the header X-Real-IP if it comes from a private network. In Caddy, the address that connects counts: if another proxy stands before it, set trusted_proxies in the preamble, or all visitors have that proxy’s address.';

const hasLocations = (host: AnyHost): boolean =>
  (host.kind === 'proxy' && host.locations.length > 0) || host.advanced.includes('location');

const hasNetworks = ({ recipe, values }: WantedPolicy): boolean =>
  recipe === 'allow' || recipe === 'block' || 'exemptNetworks' in values;
