/** How sites that moved from Nginx Proxy Manager may differ from what they were, and the note that says so. */
import { domainToASCII } from 'node:url';
import type { Note } from '../../../../src/features/import-npm/npm/notes.ts';
import type { Seen } from '../../../harness/visits.ts';
import type { HostVisit } from './visits.ts';

export type Compared = { visit: HostVisit; before: Seen; after: Seen };

type Kind = {
  /** A part of the note's text. */
  said: string;
  /** Without it, any. */
  level?: Note['level'];
  /** Whether a difference can be of this kind. */
  is(compared: Compared): boolean;
};

/** What unknown names get, and sites that are off. */
const DEFAULT_SITE = 'https://www.example.com/start?from=npm';
const EXPLOIT = /union|=\.\.\/|=http:|=\/a/;
const ASSET = /\.(css|js|jpe?g|gif|png|webp|woff2?|eot|ttf|svg|ico|map)(\?|$)/i;

const isOff = ({ status, location }: Seen) => status === 0 || location === DEFAULT_SITE;
/** Asks a list, or did, and keeps the password to itself. */
const isGuarded = ({ status, got }: Seen) =>
  status === 401 || status === 403 || (got !== null && !got.headers.authorization);
const isProxied = ({ got }: Seen) => got !== null;

export const KINDS: Readonly<Record<string, Kind>> = {
  'the status of redirects to HTTPS': {
    said: 'redirects plain HTTP to HTTPS with status 308',
    level: 'info',
    is: ({ before, after }) =>
      before.status === 301 &&
      after.status === 308 &&
      before.location === after.location &&
      after.location?.startsWith('https://') === true,
  },
  'exploits are not blocked': {
    said: 'Block Common Exploits',
    level: 'warning',
    is: ({ visit, before }) =>
      before.status === 403 &&
      (EXPLOIT.test(visit.path) || visit.headers?.['User-Agent'] === 'libwww-perl/6'),
  },
  'assets are not cached, and ask the access list': {
    said: 'caches its images, scripts and styles',
    is: ({ visit, before, after }) =>
      ASSET.test(visit.path) &&
      isProxied(before) &&
      (isGuarded(after) || after.got?.url === before.got?.url),
  },
  'the list covers locations of nginx text': {
    said: 'access list does not cover the locations',
    level: 'warning',
    is: ({ before, after }) => isProxied(before) && isGuarded(after),
  },
  'websockets pass': {
    said: 'lets WebSockets through',
    level: 'info',
    is: ({ visit, before, after }) =>
      visit.isWebsocket === true && before.status === 200 && after.status === 101,
  },
  'names below a wildcard’s': {
    said: 'only for one label',
    level: 'warning',
    is: ({ visit, after }) => /^a\.b\./.test(visit.host) && isOff(after),
  },
  'names in Unicode': {
    said: 'punycode',
    level: 'warning',
    is: ({ visit }) => visit.host.startsWith('xn--') || /[^\0-\x7f]/.test(visit.host),
  },
  'a visitor’s X-Forwarded-Proto is not believed': {
    said: 'believes the header X-Forwarded-Proto',
    level: 'warning',
    is: ({ visit, after }) =>
      visit.headers?.['X-Forwarded-Proto'] === 'https' && after.status === 308,
  },
  'a name that Caddy cannot serve': {
    said: 'Caddy cannot serve “',
    level: 'warning',
    is: ({ visit, after }) => visit.names.some((name) => name.endsWith('*')) && isOff(after),
  },
  'the case of paths': {
    said: 'without regard to case',
    level: 'info',
    is: ({ visit }) => /[A-Z]/.test(visit.path),
  },
  'the address that a proxy before says': {
    said: 'X-Real-IP',
    level: 'warning',
    is: ({ visit, before, after }) =>
      visit.headers?.['X-Real-IP'] !== undefined &&
      visit.from.startsWith('lan') &&
      [before, after].some(({ status }) => status === 401 || status === 403),
  },
  'what captures of a path are': {
    said: 'it also decodes',
    level: 'info',
    is: ({ visit, before, after }) =>
      /\/[./%]|%2f/.test(visit.path) &&
      before.status === after.status &&
      isProxied(before) === isProxied(after),
  },
  'challenges of Let’s Encrypt': {
    said: 'NPM itself answers /.well-known/acme-challenge/',
    level: 'info',
    is: ({ visit, before }) =>
      visit.path.startsWith('/.well-known/acme-challenge/') && before.status === 404,
  },
  'files of an owner': {
    said: 'data/nginx/custom',
    level: 'info',
    is: ({ visit }) => visit.path === '/npm-custom',
  },
  'redirects with status 300': {
    said: 'nginx does not say where',
    level: 'warning',
    is: ({ before, after }) => before.status === 300 && after.location !== null,
  },
  'an upstream that NPM could not reach': {
    said: 'NPM could not reach its service',
    level: 'warning',
    is: ({ before, after }) => before.status >= 500 && isProxied(after),
  },
  'a site that is off': { said: '', level: 'error', is: ({ after }) => isOff(after) },
};

/** The kinds of a difference that a note says, about the site or about all. */
export function saidKinds(compared: Compared, notes: readonly Note[]): string[] {
  const own = new Set(compared.visit.names.map(hostOf));
  const about = notes.filter(
    ({ domain, text }) =>
      domain === null ||
      own.has(hostOf(domain)) ||
      compared.visit.names.some((name) => text.includes(`“${name}”`)),
  );
  return Object.entries(KINDS).flatMap(([name, { said, level, is }]) =>
    is(compared) &&
    about.some((note) => note.level === (level ?? note.level) && note.text.includes(said))
      ? name
      : [],
  );
}

const hostOf = (name: string): string =>
  domainToASCII(name.replace(/^https?:\/\//, '').replace(/^\./, ''));

/** Whether a visitor saw the same. */
export const isSame = ({ visit, before, after }: Compared): boolean =>
  Bun.deepEquals(outcome(visit, before), outcome(visit, after));

/** What counts of an answer. */
export function outcome(
  { scheme, host, path }: HostVisit,
  { status, got, location, isAskedWho }: Seen,
) {
  const at = `${scheme}://${host}${path}`;
  const to = location === null ? null : (URL.parse(location, at)?.href ?? location);
  return {
    status,
    isAskedWho,
    to,
    ...(got && {
      upstream: got.upstream,
      url: got.url.replace(/\?$/, ''),
      host: got.headers.host?.toLowerCase(),
    }),
    ...(got && { authorization: got.headers.authorization }),
  };
}

/** Whether it lets somebody in whom Nginx Proxy Manager did not. */
export const isOpened = (compared: Compared): boolean =>
  [401, 403].includes(compared.before.status) &&
  isProxied(compared.after) &&
  !['exploits are not blocked', 'the address that a proxy before says'].some((kind) =>
    KINDS[kind]?.is(compared),
  );
