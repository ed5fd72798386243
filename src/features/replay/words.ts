/** What a replay found, in words, for the command line and the dashboard. Pure and without imports. */

/** As in `wire.ts`, which the dashboard cannot import. */
type Reply = {
  status: number | null;
  to: string | null;
  location: string | null;
  noSite?: true;
  path?: string;
  user?: string;
  authenticate?: string;
  retryAfter?: string;
  length?: number;
  type?: string;
};

const number = (value: number): string => value.toLocaleString('en');
const counted = (count: number, word: string): string =>
  `${number(count)} ${word}${count === 1 ? '' : 's'}`;

/** `18,204 requests of the last 7 days: 18,201 answer the same, 3 would not` */
export function headlineOf({ same, differ }: { same: number; differ: number }, days: number) {
  const all = same + differ;
  const time = days === 1 ? 'day' : `${days} days`;
  if (all === 0) return `no requests of the last ${time} to compare`;
  const few = all === 1 ? 'it answers the same' : 'all answer the same';
  const none = all === 1 ? 'it would not answer the same' : 'none would answer the same';
  const both = `${number(same)} answer${same === 1 ? 's' : ''} the same, ${number(differ)} would not`;
  const how = differ === 0 ? few : same === 0 ? none : both;
  return `${counted(all, 'request')} of the last ${time}: ${how}`;
}

/** The name of a group's site. */
export const siteOf = (domain: string): string =>
  domain === '*' ? 'any other host' : domain || 'no site';

/** `3 requests (12 times, 1 visitor)` */
export const countsOf = (group: { requests: number; count: number; visitors: number }): string =>
  `${counted(group.requests, 'request')} (${group.count === 1 ? 'once' : counted(group.count, 'time')}, ${counted(group.visitors, 'visitor')})`;

/** `get 403 instead of 200`, after `countsOf`. What strangers wrote is in it as it is. */
export const outcomeOf = (group: {
  requests: number;
  before: Reply;
  after: Reply;
  signedIn?: true;
}): string => outcome(group) + (group.signedIn ? ' (only when signed in)' : '');

const asks = ({ status, authenticate }: Reply): boolean => status === 401 && !!authenticate;

/** Where it redirects to; empty if it does not. */
const redirect = ({ status, location }: Reply): string =>
  (status !== null && status >= 300 && status < 400 && location) || '';

/** What one gets. */
const nounOf = (reply: Reply): string => {
  if (asks(reply)) return 'a password prompt';
  const to = redirect(reply);
  return to ? `a redirect to ${to}` : String(reply.status ?? 'no answer');
};

const upstreams = (to: string | null): string =>
  to
    ?.split(' ')
    .join(', ')
    .replace(/, (?=\S+$)/, ' or ') ?? '';

/** The most serious difference. */
function outcome({ requests, before, after }: Parameters<typeof outcomeOf>[0]): string {
  const [are, get] = requests === 1 ? ['is', 'gets'] : ['are', 'get'];
  const [from, to] = [redirect(before), redirect(after)];
  if (to && to !== from) {
    return `${are} redirected to ${to} instead of ${from || `getting ${nounOf(before)}`}`;
  }
  if (asks(after) && !asks(before)) {
    return `${are} asked for a password instead of getting ${nounOf(before)}`;
  }
  if (before.status !== after.status || asks(before) !== asks(after)) {
    const noun = to ? before.status : nounOf(before);
    return `${get} ${to ? after.status : nounOf(after)} instead of ${noun}`;
  }
  if (before.to !== after.to) {
    const old = upstreams(before.to);
    if (after.to === null) return `${are} answered by Caddy instead of ${old}`;
    const go = requests === 1 ? 'goes' : 'go';
    return `${go} to ${upstreams(after.to)} instead of ${old || 'being answered by Caddy'}`;
  }
  if (before.noSite !== after.noSite) {
    const find = requests === 1 ? 'finds' : 'find';
    return after.noSite ? `${find} no site any more` : `${find} a site instead of none`;
  }
  const reach = requests === 1 ? 'reaches the upstream' : 'reach the upstream';
  for (const [field, has, lacks] of [
    ['location', `${get} Location `, `${get} no Location`],
    ['path', `${reach} as `, `${reach} as before`],
    ['user', `${reach} with `, `${reach} without sign-in headers`],
    ['authenticate', `${get} WWW-Authenticate `, `${get} no WWW-Authenticate`],
    ['retryAfter', `${get} Retry-After `, `${get} no Retry-After`],
    ['length', `${get} Content-Length `, `${get} no file`],
    ['type', `${get} Content-Type `, `${get} no Content-Type`],
  ] as const) {
    const [old, now] = [before[field], after[field]].map((one) =>
      String(one ?? '').replaceAll('\n', ', '),
    ) as [string, string];
    if (old !== now) return `${now ? has + now : lacks} instead of ${old || 'none'}`;
  }
  return `${get} a different answer`;
}
