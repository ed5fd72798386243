/** Whether a replay says what the judge saw. */
import { BODIES } from '../../../../agent/logs/answers/request-set.ts';
import type { ReplayGroup, ReplayState, Reply } from '../../../../src/features/replay/wire.ts';
import type { Config } from './configs.ts';
import type { Sight } from './judge.ts';
import { covers, type Logged, nameOf } from './traffic.ts';

export type Case = { logged: Logged; before: Sight; after: Sight };

/** What a request shows that differs, and by what groups are added up. */
type Sum = { requests: number; count: number; ips: Set<string>; cases: Case[] };

const countOf = ({ times }: Logged): number => times.length;
export const countAll = (all: readonly Logged[]): number =>
  all.reduce((sum, one) => sum + countOf(one), 0);

export const isDifferent = ({ before, after }: Case): boolean => !Bun.deepEquals(before, after);

/** Upstreams of a pool may be named in any order. */
const toOf = (to: string | null): string => to?.split(' ').toSorted().join(' ') ?? '-';
const kindOf = (before: Pick<Reply, 'status' | 'to'>, after: Pick<Reply, 'status' | 'to'>) =>
  `${before.status} ${toOf(before.to)} → ${after.status} ${toOf(after.to)}`;

/**
 * @param cases all that should be compared
 * @param mayBeLeftOut those that need not be
 * @returns what is wrong; empty if nothing is
 */
export function wrongIn(
  state: ReplayState,
  cases: readonly Case[],
  leftOut: number,
  mayBeLeftOut: (one: Case) => boolean = () => false,
): string[] {
  if (state.state !== 'done') return [`${state.state}: ${state.detail}`];
  const wrong: string[] = [];
  const expect = (what: string, found: unknown, wanted: unknown) => {
    if (found !== wanted) wrong.push(`${what}: ${found}, and not ${wanted}`);
  };
  const different = cases.filter(isDifferent);
  const sums = new Map<string, Sum>();
  for (const one of different) {
    const kind = kindOf(one.before, one.after);
    const sum = sums.get(kind) ?? { requests: 0, count: 0, ips: new Set(), cases: [] };
    sum.requests++;
    sum.count += countOf(one.logged);
    sum.ips.add(one.logged.ip);
    sum.cases.push(one);
    sums.set(kind, sum);
  }
  const isLoose = cases.some(mayBeLeftOut);
  // Of those it says that they are compared as they were not.
  const isBody = ({ reason }: { reason: string }) => reason === BODIES;
  const left = state.leftOut.reduce((sum, one) => sum + (isBody(one) ? 0 : one.count), 0);
  const bodies = cases.filter(({ logged }) => /^(POST|PUT)$/.test(logged.method));
  expect('done of', state.done, state.of);
  expect('same and different', state.same + state.differ, state.done);
  if (!isLoose) {
    expect('compared', state.done, cases.length);
    expect('different', state.differ, different.length);
    expect(
      'with a body',
      state.leftOut.find(isBody)?.count ?? 0,
      countAll(bodies.map(({ logged }) => logged)),
    );
    if (left !== leftOut)
      wrong.push(`left out: ${JSON.stringify(state.leftOut)}, and not ${leftOut}`);
  }
  const found = Map.groupBy(state.groups, ({ before, after }) => kindOf(before, after));
  for (const kind of new Set([...found.keys(), ...sums.keys()])) {
    const groups = found.get(kind) ?? [];
    const sum = sums.get(kind);
    const total = (of: (group: ReplayGroup) => number) =>
      groups.reduce((all, group) => all + of(group), 0);
    if (!sum) {
      wrong.push(`invented: ${kind}, ${JSON.stringify(groups[0]?.examples[0])}`);
      continue;
    }
    const may = sum.cases.filter(mayBeLeftOut);
    const between = (what: string, value: number, least: number, most: number) => {
      if (value >= least && value <= most) return;
      const [first] = sum.cases;
      wrong.push(
        `${what} of ${kind}: ${value}, and not ${least}–${most}, such as ${first && told(first)}`,
      );
    };
    const { requests, count, ips } = sum;
    between(
      'requests',
      total((group) => group.requests),
      requests - may.length,
      requests,
    );
    const mayCount = countAll(may.map(({ logged }) => logged));
    between(
      'count',
      total((group) => group.count),
      count - mayCount,
      count,
    );
    const must = new Set(
      sum.cases.filter((one) => !mayBeLeftOut(one)).map(({ logged }) => logged.ip),
    );
    const visitors = groups.map((group) => group.visitors);
    between('visitors', Math.max(0, ...visitors), groups.length === 1 ? must.size : 0, ips.size);
    wrong.push(...groups.flatMap((group) => wrongInGroup(group, sum.cases)));
  }
  return wrong;
}

const told = ({ logged, before, after }: Case): string =>
  `${logged.method} ${logged.tls ? 'https' : 'http'}://${logged.host}${logged.uri} from ${logged.ip}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`;

/** Whether a group shows what one of its requests saw. */
function wrongInGroup(group: ReplayGroup, cases: readonly Case[]): string[] {
  const wrong: string[] = [];
  const shown = (reply: Reply, sight: Sight) =>
    (reply.location === sight.location || reply.location === sight.location?.replace(/\?.*/, '')) &&
    (reply.path === undefined || reply.path === sight.path?.replace(/\?.*/, '')) &&
    (reply.authenticate ?? sight.authenticate) === sight.authenticate &&
    (reply.retryAfter ?? sight.retryAfter) === sight.retryAfter &&
    (reply.length ?? sight.length) === sight.length &&
    (reply.type ?? sight.type) === sight.type;
  if (
    !cases.some(({ before, after }) => shown(group.before, before) && shown(group.after, after))
  ) {
    wrong.push(`nobody saw ${JSON.stringify(group)}, such as ${cases[0] && told(cases[0])}`);
  }
  for (const example of group.examples) {
    const { method, path, ip, timestamp } = example;
    const its = cases.filter(
      ({ logged }) =>
        logged.method === method && logged.ip === ip && logged.uri.replace(/\?.*/, '') === path,
    );
    if (!its.some(({ logged }) => Math.floor(Date.parse(timestamp) / 1000) === logged.times[0])) {
      wrong.push(`no such request: ${JSON.stringify(example)} ${JSON.stringify(its[0]?.logged)}`);
    }
  }
  const domains = new Set(cases.map(({ logged }) => nameOf(logged.host)));
  const isOf = (host: string) => group.domain === '*' || covers(bare(group.domain), host);
  if (![...domains].some(isOf)) wrong.push(`no request for ${group.domain}`);
  return wrong;
}

const bare = (domain: string): string => domain.replace(/^https?:\/\//, '').replace(/:\d+$/, '');

/** Whether a site that may serve it has rules about addresses, which an old Caddy cannot be asked about. */
export const dependsOnAddress =
  (configs: readonly Config[]) =>
  ({ logged }: Case): boolean => {
    const host = nameOf(logged.host);
    return configs.some(({ sites }) =>
      sites.some(
        ({ name, parts }) => covers(name, host) && parts.some((part) => part.includes('remote_ip')),
      ),
    );
  };
