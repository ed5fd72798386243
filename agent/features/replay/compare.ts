/** What two configurations answered to the same request, and the differences by site and kind. */
import {
  MOST_EXAMPLES,
  type ReplayGroup,
  type ReplayState,
  type Reply,
} from '../../../src/features/replay/wire.ts';
import type { LoggedRequest } from '../../logs/answers/distinct.ts';
import { MARK } from './config/routes.ts';
import type { Head } from './connection.ts';
import type { Echoed } from './echo.ts';

/** A response; or the number of the reason why there is none to compare. */
export type Outcome = { reply: Reply; isSignIn: boolean } | { unplayed: number };

const NO_REPLY: Reply = { status: null, to: null, location: null };

/**
 * @param head null: there was none
 * @param header the one by which the echo speaks
 * @param shownPort the port that a configuration has for a trial's
 */
export function outcomeOf(
  head: Head | null,
  header: string,
  shownPort: (port: string) => string,
): Outcome {
  if (head === null) return { reply: NO_REPLY, isSignIn: false };
  const { status, headers } = head;
  const said = headers.get(header.toLowerCase());
  if (said?.startsWith(MARK.unplayed)) return { unplayed: Number(said.slice(1)) };
  const hasNoSite = said === MARK.noSite;
  const echoed =
    said === undefined || hasNoSite ? null : (JSON.parse(decodeURIComponent(said)) as Echoed);
  const authenticate = headers.get('www-authenticate');
  const retryAfter = headers.get('retry-after');
  const location = headers.get('location')?.replace(/:(\d+)/g, (_, port) => `:${shownPort(port)}`);
  const reply: Reply = {
    status,
    to: echoed?.to ?? null,
    location: location ?? null,
    ...(echoed && { path: echoed.path }),
    ...(echoed?.user && { user: echoed.user }),
    ...(authenticate !== undefined && { authenticate }),
    ...(retryAfter !== undefined && { retryAfter }),
    // A redirect to HTTPS is the same, whoever makes it.
    ...(hasNoSite && location === undefined && { noSite: true as const }),
    ...(!echoed && fileIn(headers)),
  };
  return { reply, isSignIn: echoed?.isSignIn ?? false };
}

/** Caddy's file server says when a file changed. */
function fileIn(headers: Head['headers']): Pick<Reply, 'length' | 'type'> {
  if (!headers.has('last-modified')) return {};
  const [length, type] = [headers.get('content-length'), headers.get('content-type')];
  return {
    ...(length !== undefined && { length: Number(length) }),
    ...(type !== undefined && { type }),
  };
}

const ALWAYS = ['status', 'to', 'location'] as const;
const HEADERS = ['authenticate', 'retryAfter'] as const;
/** Compared if the same upstream answers, or Caddy itself. */
const OF_SAME = ['noSite', 'path', 'user', 'length', 'type'] as const;
const OPTIONAL = [...HEADERS, ...OF_SAME];
type Part = (typeof ALWAYS)[number] | (typeof OPTIONAL)[number];

/** What differs; nothing if the responses are the same. */
export function differences(before: Reply, after: Reply): Part[] {
  const isOther = (one: Part) => before[one] !== after[one];
  if (before.status === null || after.status === null) return ALWAYS.filter(isOther);
  return [...ALWAYS, ...HEADERS, ...(isOther('to') ? [] : OF_SAME)].filter(isOther);
}

type Group = Omit<ReplayGroup, 'visitors'> & { visitors: Set<string> };

/** Sites and kinds of differences are few; what a stranger can vary must not be many groups. */
const MOST_GROUPS = 500;

type Groups = {
  /** @param isOnlySignedIn whether it is so only for visitors who are signed in */
  add(
    request: LoggedRequest,
    domain: string,
    before: Reply,
    after: Reply,
    isOnlySignedIn: boolean,
  ): void;
  list(): ReplayState['groups'];
};

export function createGroups(): Groups {
  const groups = new Map<string, Group>();
  return {
    add(request, domain, before, after, isOnlySignedIn) {
      const parts = differences(before, after);
      const kind = [before, after].map((reply) => kindOf(reply, parts, request));
      const key = JSON.stringify([domain, isOnlySignedIn, parts, kind]);
      let group = groups.get(key);
      if (!group) {
        if (groups.size >= MOST_GROUPS) return;
        group = {
          domain,
          requests: 0,
          count: 0,
          visitors: new Set(),
          before: shown(before, parts, request),
          after: shown(after, parts, request),
          ...(isOnlySignedIn && { signedIn: true as const }),
          examples: [],
        };
        groups.set(key, group);
      }
      group.requests++;
      group.count += request.count;
      group.visitors.add(request.ip);
      const example = exampleOf(request);
      const isShown = group.examples.some(
        ({ method, path, ip }) =>
          method === example.method && path === example.path && ip === example.ip,
      );
      if (!isShown && group.examples.length < MOST_EXAMPLES) group.examples.push(example);
    },
    list: () =>
      [...groups.values()]
        .map((group) => ({ ...group, visitors: group.visitors.size }))
        .toSorted((a, b) => rank(a) - rank(b) || b.count - a.count),
  };
}

const pathOf = (uri: string): string => uri.replace(/\?.*$/s, '');

const exampleOf = ({ method, uri, ip, time }: LoggedRequest): Group['examples'][number] => ({
  method,
  path: pathOf(uri),
  ip,
  timestamp: Number.isNaN(time) ? '' : new Date(time).toISOString(),
});

/** Equal for replies that differ in nothing but what they repeat of the request. */
function kindOf(reply: Reply, parts: readonly Part[], request: LoggedRequest): unknown {
  const { status, to, location, authenticate, type } = reply;
  return [
    status,
    to,
    location === null ? null : templateOf(location, request),
    parts.includes('authenticate') ? authenticate : null,
    parts.includes('type') ? type : null,
  ];
}

function templateOf(location: string, { host, uri }: LoggedRequest): string {
  const path = pathOf(uri);
  const parts = [uri, path, host, host.replace(/:\d*$/, '')].filter((part) => part.length > 1);
  const all = parts.flatMap((part) => [part, encodeURIComponent(part)]);
  return all.reduce((text, part) => text.replaceAll(part, '{}'), location);
}

/** Without the query of the request, which may hold a secret. */
function shown(reply: Reply, parts: readonly Part[], { uri }: LoggedRequest): Reply {
  const { status, to, location } = reply;
  const query = uri.slice(pathOf(uri).length + 1);
  const values = [query, ...new URLSearchParams(query).values()]
    .flatMap((value) => [value, encodeURIComponent(value)])
    .filter((value) => value !== '');
  const long = values.filter(({ length }) => length >= LIKE_A_SECRET);
  const short = (text: string) =>
    values.some((value) => text.includes(value))
      ? long.reduce((left, value) => left.replaceAll(value, '…'), pathOf(text))
      : text;
  const optional = OPTIONAL.filter((one) => parts.includes(one) && reply[one] !== undefined);
  return {
    status,
    to: to && short(to),
    location: location && short(location),
    ...Object.fromEntries(
      optional.map((one) => [one, one === 'path' ? pathOf(reply[one] ?? '') : reply[one]]),
    ),
  };
}

/** Characters of a value that is hidden even in a path, where a short one may be there by chance. */
const LIKE_A_SECRET = 6;

export const isBad = ({ status, noSite }: Reply): boolean =>
  status === null || status >= 400 || noSite === true;

/** First what would fail from now on, and last what would work again. */
const rank = ({ before, after }: Group | ReplayGroup): number =>
  Number(isBad(before)) - Number(isBad(after));
