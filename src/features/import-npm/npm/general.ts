/** What an import says that is about no site, or about all. Pure. */
import type { WantedPolicy } from './access.ts';
import type { Moved } from './hosts.ts';
import { type Note, named } from './notes.ts';
import type { AnyHost, Rows } from './rows.ts';

/** @param takes whether uploaded certificates come along */
export function generalNotes(rows: Rows, moved: readonly Moved[], takes: boolean): Note[] {
  const streams = rows.streams.map(
    ({ port, protocols, to }) => `${port} (${protocols.join(' and ') || 'off'}) to ${to}`,
  );
  const used = new Set(rows.proxies.map(({ accessListId }) => accessListId));
  const unused = rows.accessLists.filter(({ id }) => !used.has(id)).map(({ name }) => name);
  const issued = new Set(
    rows.certificates.flatMap(({ id, provider }) => (provider === 'letsencrypt' ? id : [])),
  );
  const hosts = moved.map(({ host }) => host);
  const served = new Set(hosts.map(({ certificateId }) => certificateId));
  const idle = rows.certificates
    .filter(({ id, pair }) => pair !== null && !served.has(id) && !takes)
    .map(({ name }) => name);
  const said: readonly [applies: boolean, level: Note['level'], text: string][] = [
    [hosts.some((host) => host.isForcedToHttps), 'info', REDIRECTS],
    [hosts.some(({ certificateId }) => issued.has(certificateId)), 'info', CHALLENGES],
    [rows.proxies.length > 0, 'info', WEBSOCKETS],
    [rows.proxies.length > 0, 'info', HEADERS],
    [rows.proxies.length > 0, 'info', OWN_FILES],
    [hosts.some(hasLocations), 'info', PATHS],
    [moved.some(({ site }) => site.policies.some(hasNetworks)), 'warning', REAL_ADDRESS],
    [
      streams.length > 0,
      'warning',
      `signalbox serves HTTP only, so streams stay behind: ${streams.join('; ')}.`,
    ],
    [
      unused.length > 0,
      'info',
      `No host has these access lists, so they stay behind: ${named(unused)}.`,
    ],
    [
      idle.length > 0,
      'info',
      `No host has these uploaded certificates, so they stay behind: ${named(idle)}.`,
    ],
    [
      rows.users > 0,
      'info',
      `Accounts stay behind (${rows.users}): invite their people on the page Users.`,
    ],
  ];
  return said.flatMap(([applies, level, text]) => (applies ? { domain: null, level, text } : []));
}

const REDIRECTS = 'Caddy redirects plain HTTP to HTTPS with status 308, NPM with 301.';
const CHALLENGES =
  'NPM itself answers /.well-known/acme-challenge/ for hosts with a certificate of Let’s Encrypt. Here only Caddy’s own challenges are answered, and other requests for it reach the service.';
const WEBSOCKETS =
  'Caddy lets WebSockets through to all services, NPM only for hosts with “Websockets Support”, and not in the locations of their own nginx text.';
const HEADERS =
  'Services get X-Forwarded-For, -Proto and -Host, but no longer X-Real-IP and X-Forwarded-Scheme. If one needs it: header_up X-Real-IP {remote_host} in its reverse_proxy.';
const OWN_FILES =
  'Files that you added in NPM’s folder data/nginx/custom are not in its database: what they do is not taken over.';
const PATHS =
  'Caddy compares paths without regard to case, nginx with it. Where nginx replaces a part of the path, it also decodes the rest and resolves // and .. in it; Caddy leaves it as it is.';
const REAL_ADDRESS =
  'NPM believes the header X-Real-IP if it comes from a private network. In Caddy, the address that connects counts: if another proxy stands before it, name that under “Proxies before Caddy” in the Caddy options, or all visitors have that proxy’s address.';

const hasLocations = (host: AnyHost): boolean =>
  (host.kind === 'proxy' && host.locations.length > 0) || host.advanced.includes('location');

const hasNetworks = ({ recipe, values }: WantedPolicy): boolean =>
  recipe === 'allow' || recipe === 'block' || 'exemptNetworks' in values;
