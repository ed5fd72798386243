/** The six numbers of `/summary`, against the status that they are from. */
import { expect, test } from 'bun:test';
import { type Summary, summaryOf } from '../../../src/hub/watch/summary.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { freePort, until } from '../../harness/stack.ts';

type Status = { problems: { key: string; code: string; level: string }[] };

const owner = await forFile(startOwner());

const status = async () => (await owner.call<Status>('GET', '/status')).body;
const summary = async () => (await owner.call<Summary>('GET', '/summary')).body;
/** After another look, which the watcher would take in a few seconds. */
const isDown = async (sites: number) => (await status()) && (await summary()).sitesDown === sites;

test('counts sites, proxies and what is wrong with them', async () => {
  const dead = `127.0.0.1:${freePort()}`;
  const create = (domain: string, more: object) =>
    owner.call('POST', '/vhosts', { domain, config: 'respond ok', ...more });
  const proxied = { upstream: dead, config: 'reverse_proxy {upstream}' };
  await create('http://one.example', proxied);
  await create('http://two.example', proxied);
  await create('http://well.example', {});
  await create('http://off.example', { enabled: false });
  await until(() => isDown(2), 'both sites are down');
  // One problem, of two sites; that Debian's Caddy also has known holes is a notice.
  const problems = (await status()).problems.filter(({ level }) => level !== 'notice');
  const numbers = { sites: 3, sitesDown: 2, problems: problems.length, certificatesDue: 0 };
  expect(await summary()).toEqual({ ...numbers, proxies: 1, proxiesDown: 0 });

  const down = problems.find(({ code }) => code === 'UPSTREAM_DOWN');
  await owner.call('PUT', `/problems/${down?.key}/known`, { until: null });
  await until(() => isDown(0), 'nobody counts what is known');
  expect(await summary()).toMatchObject({ sites: 3, problems: problems.length - 1 });
});

type Given = Parameters<typeof summaryOf>;

const summaryFor = (
  vhosts: object[],
  agents: object[],
  problems: object[],
  failing: Given[3] = () => null,
) => summaryOf(...([{ vhosts }, agents, problems, failing] as unknown as Given));
const vhost = { id: 1, domain: 'a.example' };
const known = { until: null, by: 'Ada' };

test('counts each site and each name once, on however many proxies, and what does not answer as down', () => {
  const certificates = [{ name: 'a.example' }, { name: 'b.example' }];
  const answers = (running: boolean) => ({ proxy: { running } });
  const agents = [answers(true), answers(false), null].map((status) => ({
    name: 'local',
    status,
    certificates,
    placed: new Set(),
    sites: [],
  }));
  const problems = [
    { level: 'bad', vhost },
    { level: 'bad', vhosts: [vhost, { id: 2, domain: 'b.example' }] },
    { level: 'bad', vhost: { id: 3, domain: 'c.example' }, known },
    { level: 'warn', vhost: { id: 4, domain: 'd.example' } },
    { level: 'bad' },
  ];
  expect(summaryFor([{ enabled: true }, { enabled: false }], agents, problems)).toEqual({
    sites: 1,
    sitesDown: 2,
    problems: 4,
    certificatesDue: 2,
    proxies: 3,
    proxiesDown: 2,
  });
});

test('counts as down what a proxy does not serve that is down, or refuses what is stored', () => {
  const site = (id: number, problem: string | null) => ({ id, enabled: true, problem });
  const agent = (name: string, running: boolean | null, more: object = {}) => ({
    name,
    certificates: [],
    placed: new Set([1, 2, 3]),
    sites: [],
    status: running === null ? null : { proxy: { running } },
    ...more,
  });
  const downOf = (agents: object[], problems: object[]) =>
    summaryFor([], agents, problems).sitesDown;
  const dead = { code: 'PROXY_DOWN', level: 'bad', agents: ['vps'] };
  const sites = { sites: [site(1, null), site(2, 'Caddy refuses what is stored: no')] };
  const refused = { code: 'NOT_IN_STEP', level: 'bad' };
  expect(downOf([agent('local', true), agent('vps', false)], [dead])).toBe(3);
  expect(downOf([agent('vps', false)], [{ ...dead, known }])).toBe(0);
  // Nobody knows what it serves.
  expect(downOf([agent('vps', null)], [{ ...dead, code: 'AGENT_UNREACHABLE' }])).toBe(0);
  expect(downOf([agent('vps', true, sites)], [refused, { level: 'bad', vhost }])).toBe(2);
  expect(downOf([agent('vps', true, sites)], [{ ...refused, known }])).toBe(0);
});

test('counts as down what the last explanation found failing, on any proxy, unless that is known', () => {
  const agents = [1, 2].map((id) => ({
    id,
    name: `proxy-${id}`,
    status: { proxy: { running: true } },
    certificates: [],
    placed: new Set([1, 2, 3]),
    sites: [],
  }));
  const failure = { since: '2026-11-20T18:00:00.000Z', cause: 'SPEAKS_TLS', words: 'It fails.' };
  const failing: Given[3] = (site, agent) =>
    site === 3 || (site === 2 && agent === 2) ? failure : null;
  const downWith = (problems: object[]) => summaryFor([], agents, problems, failing).sitesDown;
  expect(downWith([])).toBe(2);
  // A site counts once, however it is known to fail.
  expect(downWith([{ level: 'bad', vhost: { id: 3, domain: 'c.example' } }])).toBe(2);
  expect(downWith([{ level: 'bad', vhost: { id: 3, domain: 'c.example' }, known }])).toBe(1);
});
