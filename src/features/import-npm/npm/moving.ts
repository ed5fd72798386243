/** All that comes along from NPM: sites, policies, certificates, and what there is to say about them. Pure. */

import { blockOf } from '../../../hub/caddyfile/site.ts';
import { isQuotable } from '../../../hub/recipes/quote.ts';
import { respond, typed } from '../../../hub/recipes/respond.ts';
import { createPauses } from '../../../shared/async.ts';
import { protectionOf, type WantedPolicy } from './access.ts';
import { addressesOf } from './addresses.ts';
import { generalNotes } from './general.ts';
import { type Moved, type MovedSite, movedHost, TARGET } from './hosts.ts';
import { readsFile } from './nginx/words.ts';
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
    certificates,
    lists,
    takesCertificates,
    taken: new Set<string>(),
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
  notes.push(...generalNotes(rows, moved, takesCertificates));
  return {
    sites,
    policies,
    certificates: takesCertificates ? rows.certificates.filter(({ pair }) => pair !== null) : [],
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
    html: () =>
      isQuotable(html) && !readsFile(html) ? [...typed('', html), respond('', html, 200)] : null,
  };
  const lines = linesOf[value]?.() ?? null;
  const site = lines && {
    domain: 'http://',
    addresses: ['http://'],
    upstream: '',
    enabled: true,
    policies: [],
    config: blockOf(['http://'], lines),
  };
  const text = site
    ? 'NPM’s default site becomes a site for all other names over HTTP.'
    : 'NPM’s default site is not taken over: Caddy answers other names over HTTP with an empty page. The recipe “Unknown hosts” makes a site for them.';
  return { site, notes: [{ domain: site?.domain ?? null, level: 'info', text }] };
}
