/** One address of a site in a trial, and what strangers got there. */
import { widest } from '../../../src/features/doors/shared/opens.ts';
import type { Got } from '../../../src/features/doors/wire.ts';
import { isLoopback } from '../../../src/shared/loopback.ts';
import { ownListeners } from '../../caddy/ports/ports.ts';
import { covers, nameOf } from '../../sites/live-sites.ts';
import type { Side } from '../replay/config/side.ts';
import type { Question } from '../replay/questions.ts';
import { certificateNeeded } from './certificates.ts';
import type { Lure } from './lures.ts';
import type { Site } from './site.ts';
import { unsure, type Verdict } from './verdict.ts';

export type Door = {
  site: Site;
  /** As a stranger writes it. */
  host: string;
  port: number;
  tls: boolean;
  /** Whether it listens for this machine alone. */
  isLocal: boolean;
  /** What a path is named with: the host, where a site of several treats it on its own. */
  prefix: string;
  /** By path. */
  got: Map<string, Verdict>;
};

/**
 * `label`: what was asked for, in words; `isLure`: with a header or a query that the site's rules name; `isMember`: from
 * one of the networks that they name.
 */
export type Asked = Question & { door: Door; label: string; isLure: boolean; isMember: boolean };

/** A request, and the visitor's address. */
type Asking = Lure & { as: string };

const NOT_SERVED = 'Caddy does not serve it now';
const NO_PORT = 'It listens on no TCP port';
const BY_CERTIFICATE = 'Visitors may get in with any certificate, or by another name';
const ONLY_HERE =
  'It listens for this machine alone, so strangers get in only by a program on it, such as a tunnel';
const BY_LURE = 'Requests get in that have a header or a query as its rules want it';

/** How the path is called that nobody knows. */
export const ANY_PATH = '/*';

type Finding = { side: Side; siteOf: (host: string, port: number) => Site | null; unknown: string };

/**
 * Of each host that the rules of a site of several hosts name, and of one that they do not.
 * @param name of the site, maybe with `*`; empty: any @param unknown a word for hosts that nobody knows
 * @returns what is known without asking, or where to ask
 */
export function doorsAt(name: string, port: number, finding: Finding): (Door | Verdict)[] {
  const asHost = (one: string) => one.replaceAll('*', finding.unknown);
  const first = doorAt(name === '' ? `${finding.unknown}.invalid` : asHost(name), port, finding);
  if (!('site' in first) || !(name === '' || name.includes('*'))) return [first];
  const { hosts } = first.site;
  const named = [...new Set(hosts.map(asHost))].filter(
    (host) => host !== first.host && (name === '' || covers(name, nameOf(host))),
  );
  const others = named.map((host) => doorAt(host, port, finding));
  // A site of its own has that host.
  const own = others.filter((one) => !('site' in one) || one.site.own === first.site.own);
  return [first, ...own.map((one) => ('site' in one ? { ...one, prefix: one.host } : one))];
}

function doorAt(host: string, port: number, { side, siteOf }: Finding): Door | Verdict {
  if (side.isOnSocket(host)) return unsure(NO_PORT);
  const site = siteOf(host, port);
  if (site === null) return unsure(NOT_SERVED);
  const tls = side.ports(true).includes(port);
  const needed = tls ? certificateNeeded(site.server, host) : 'no';
  if (needed === 'certificate') return { opensTo: 'certificate', status: null };
  if (needed === 'unsure') return unsure(BY_CERTIFICATE);
  if (side.place(host, port, tls) === null) return unsure(NOT_SERVED);
  const listeners = ownListeners(site.server).filter((one) => one.port === port);
  const isLocal = listeners.every((one) => isLoopback(one.host));
  return { site, host, port, tls, isLocal, prefix: '', got: new Map() };
}

/** @param pass the line that lets a request in to the trial @param unknown the path that nobody knows */
export function questionAt(
  door: Door,
  { method, path, headers, as }: Asking,
  { pass, unknown }: { pass: string; unknown: string },
): Asked {
  const { host, port, tls } = door;
  const named = host.includes(':') ? `[${host}]` : host;
  const length = method === 'GET' ? [] : ['Content-Length: 0'];
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${named}`, pass, ...headers, ...length];
  const said = path === unknown ? ANY_PATH : path;
  return {
    door,
    label: `${method === 'GET' ? '' : `${method} `}${door.prefix}${said}`,
    isLure: headers.length > 0 || path.includes('?'),
    isMember: false,
    tls,
    host,
    port,
    as,
    bytes: Buffer.from([...lines, '', ''].join('\r\n')),
    hasBody: true,
    requests: [],
  };
}

/** Keeps what lets in the most. */
export function note({ door: { got, isLocal }, label, isLure }: Asked, verdict: Verdict): void {
  const doubt = isLure ? BY_LURE : isLocal && ONLY_HERE;
  const isDoubtful = doubt !== false && verdict.opensTo === 'anyone';
  const said = isDoubtful ? { ...unsure(doubt), status: verdict.status } : verdict;
  const known = got.get(label);
  got.set(label, widest(known ? [known, said] : [said]) ?? said);
}

/** What was got, with what cannot be known; empty if everything leads to HTTPS. */
export function gotAt({ got, site }: Door): Got[] {
  const all: Got[] = [...got].map(([path, verdict]) => ({ path, ...verdict }));
  const isOpen = all.some(({ opensTo }) => opensTo === 'anyone' || opensTo === 'unsure');
  if (isOpen || all.length === 0 || site.unknown.length === 0) return all;
  const reason = `Its rules are more than a trial can tell: ${site.unknown.join(', ')}`;
  return [...all, { path: ANY_PATH, ...unsure(reason) }];
}
