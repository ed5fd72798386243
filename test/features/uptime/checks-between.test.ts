// proof: hub
/** Sites that are asked between changes, through real Caddys: what fails, what that leads to, and what is kept. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { VhostUptime } from '../../../src/features/uptime/routes.ts';
import { startFleet } from '../../harness/fleet.ts';
import { forFile, serverForFile } from '../../harness/for-file.ts';
import { QUICK } from '../../harness/pace.ts';
import { limit } from '../../harness/speed.ts';
import { until } from '../../harness/stack.ts';

type State = { id: number; check: { failingSince: string; reason: string } | null };
type Incident = { event: string; vhost?: { id: number }; message: string; overAt: string | null };
type Status = { problems: { code: string; level: string; vhost?: object; message: string }[] };
type Bars = { share: number | null; bars: (number | null)[] };
type Site = { id: number; domain: string };

/** The user agents of the requests so far, and to whom the upstream answers 500. */
const askedBy: string[] = [];
let isWrong = (_: string): boolean => false;
const upstream = serverForFile((request) => {
  const agent = request.headers.get('user-agent') ?? '';
  askedBy.push(agent);
  return new Response('ready', { status: isWrong(agent) ? 500 : 200 });
});
/** By the words of the first agent. */
const isOfFirst = (agent: string): boolean =>
  readFileSync(`${fleet.stack.accessLog}.checks`, 'utf8').includes(agent.split('/')[1] ?? '?');

const get = async <T>(path: string) => (await fleet.call<T>('GET', path)).body;
const create = async (name: string, more: object) =>
  (
    await fleet.call<Site>('POST', '/vhosts', {
      domain: `http://${name}.example`,
      config: 'reverse_proxy {upstream}',
      upstream: `127.0.0.1:${upstream.port}`,
      ...more,
    })
  ).body;
const checkOf = async ({ id }: Site, query = '') =>
  (await get<State>(`/vhosts/${id}/state${query}`)).check;
const incidents = async () =>
  (await get<Incident[]>('/incidents')).filter(({ event }) => event === 'check.failing');
const uptime = ({ id }: Site, query = '') => get<VhostUptime>(`/vhosts/${id}/uptime${query}`);
const sums = ({ buckets }: VhostUptime) => ({
  asked: buckets.reduce((sum, one) => sum + one.asked, 0),
  failed: buckets.reduce((sum, one) => sum + one.failed, 0),
});
const WRONG = 'GET /health answered 500 instead of a status from 200 to 299';

const fleet = await forFile(startFleet(['vps'], {}, QUICK));
const check = { path: '/health', within: limit(500) / 1_000, every: 10 };
const watched = await create('watched', { check });
const still = await create('still', { agents: ['local'], check: { ...check, every: 0 } });
const bare = await create('bare', { agents: ['local'] });

test.each([
  ['/vhosts/999/uptime', 404],
  ['/vhosts/x/uptime', 404],
  ['/vhosts/1/uptime?days=0', 400],
  ['/vhosts/1/uptime?days=91', 400],
  ['/vhosts/1/uptime?days=1.5', 400],
  ['/vhosts/1/uptime?days=x', 400],
])('a question is refused: %s', async (path, status) => {
  expect((await fleet.call('GET', path)).status).toBe(status);
});

test('a site is asked again and again, at each of its proxies, and that is in no statistic', async () => {
  const known = await until(async () => {
    const found = await uptime(watched);
    return sums(found).asked >= 2 && found;
  }, 'two rounds');
  expect(known).toMatchObject({ share: 1 });
  const [bucket] = known.buckets;
  expect(bucket?.from).toMatch(/:00:00\.000Z$/);
  expect([bucket?.failed, typeof bucket?.p50, typeof bucket?.p95]).toEqual([0, 'number', 'number']);
  for (const agent of askedBy) expect(agent).toStartWith('signalbox-check/');
  // Each agent has a word of its own.
  expect(new Set(askedBy.map(isOfFirst))).toEqual(new Set([true, false]));
  const { vhosts } = await get<{ vhosts: object[] }>('/vhosts/activity');
  expect(vhosts).toEqual([]);
  expect(await checkOf(watched)).toBeNull();
  for (const other of [still, bare]) {
    expect(await uptime(other)).toEqual({ buckets: [], share: null });
  }
  const bars = await get<{ id: number; day: Bars; month: Bars }[]>('/vhosts/uptime');
  expect(bars.map(({ id, day, month }) => [id, day.bars.at(-1), month.share])).toEqual([
    [watched.id, 1, 1],
  ]);
  expect([bars[0]?.day.bars.length, bars[0]?.month.bars.length]).toEqual([24, 30]);
});

test('wrong twice in a row at one proxy is an incident that names it, also after a restart', async () => {
  // As if something were between the other machine and the upstream.
  isWrong = (agent) => !isOfFirst(agent);
  const incident = await until(async () => (await incidents())[0], 'the incident');
  expect(incident).toMatchObject({ vhost: { id: watched.id }, overAt: null });
  expect(incident.message).toBe(`vps: The check fails: ${WRONG}.`);
  const check = await checkOf(watched);
  expect(check?.reason).toBe(`vps: ${WRONG}`);
  expect(await checkOf(watched, '?agent=local')).toBeNull();
  expect(await checkOf(watched, '?agent=vps')).toEqual({ ...check, reason: WRONG } as typeof check);
  expect((await get<State[]>('/vhosts/state')).map((one) => one.check !== null)).toEqual([
    false,
    false,
    true,
  ]);
  const { problems } = await get<Status>('/status');
  expect(problems.filter(({ code }) => code === 'CHECK_FAILING')).toMatchObject([
    { level: 'bad', vhost: { id: watched.id }, agents: ['vps'] },
  ]);
  const { failed } = sums(await uptime(watched));
  expect(failed).toBeGreaterThan(1);

  await fleet.stack.restart();
  // At once, and not only once it was asked again.
  const again = await until(() => checkOf(watched).catch(() => null), 'the state after a restart');
  expect(again.failingSince).toBe(check?.failingSince ?? '');
  expect(sums(await uptime(watched)).failed).toBeGreaterThanOrEqual(failed);
  expect((await incidents()).map(({ overAt }) => overAt)).toEqual([null]);
});

test('right twice in a row is the end of it', async () => {
  isWrong = () => false;
  await until(async () => (await incidents())[0]?.overAt, 'the end of the incident');
  expect(await checkOf(watched)).toBeNull();
  expect((await get<Status>('/status')).problems).not.toContainEqual(
    expect.objectContaining({ code: 'CHECK_FAILING' }),
  );
  const { share } = await uptime(watched, '?days=1');
  expect(share).toBeGreaterThan(0);
  expect(share).toBeLessThan(1);
});

test('what is known of a site goes with it, and does not come back', async () => {
  const { id } = watched;
  expect(sums(await uptime(watched)).failed).toBeGreaterThan(0);
  expect((await fleet.call('DELETE', `/vhosts/${id}`)).status).toBe(200);
  expect((await fleet.call('GET', `/vhosts/${id}/uptime`)).status).toBe(404);
  const [entry] = await get<{ id: number }[]>('/changelog');
  expect((await fleet.call('POST', `/changelog/${entry?.id}/revert`)).status).toBe(200);
  const back = (await get<Site[]>('/vhosts')).find(({ domain }) => domain === watched.domain);
  if (!back) throw new Error('it is not back');
  expect(sums(await uptime(back)).failed).toBe(0);
});
