/** The six numbers of `/summary`, against the status that they are from. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Summary, summaryOf } from '../../../src/hub/watch/summary.ts';
import { type Owner, startOwner } from '../../harness/owner.ts';
import { freePort, until } from '../../harness/stack.ts';

type Status = { problems: { key: string; code: string }[] };

let owner: Owner;
beforeAll(async () => {
  owner = await startOwner();
});
afterAll(() => owner.stack.stop());

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
  // One problem, of two sites; Debian's Caddy also has known holes.
  const { problems } = await status();
  const numbers = { sites: 3, sitesDown: 2, problems: problems.length, certificatesDue: 0 };
  expect(await summary()).toEqual({ ...numbers, proxies: 1, proxiesDown: 0 });

  const down = problems.find(({ code }) => code === 'UPSTREAM_DOWN');
  await owner.call('PUT', `/problems/${down?.key}/known`, { until: null });
  await until(() => isDown(0), 'nobody counts what is known');
  expect(await summary()).toMatchObject({ sites: 3, problems: problems.length - 1 });
});

test('counts each site and each name once, on however many proxies, and what does not answer as down', () => {
  const vhost = { id: 1, domain: 'a.example' };
  const certificates = [{ name: 'a.example' }, { name: 'b.example' }];
  const answers = (running: boolean) => ({ proxy: { running } });
  const agents = [answers(true), answers(false), null].map((status) => ({ status, certificates }));
  const known = { until: null, by: 'Ada' };
  const problems = [
    { level: 'bad', vhost },
    { level: 'bad', vhosts: [vhost, { id: 2, domain: 'b.example' }] },
    { level: 'bad', vhost: { id: 3, domain: 'c.example' }, known },
    { level: 'warn', vhost: { id: 4, domain: 'd.example' } },
    { level: 'bad' },
  ];
  const set = { vhosts: [{ enabled: true }, { enabled: false }] };
  const [first, second, third] = [set, agents, problems] as unknown as Parameters<typeof summaryOf>;
  expect(summaryOf(first, second, third)).toEqual({
    ...{ sites: 1, sitesDown: 2, problems: 4, certificatesDue: 2, proxies: 3, proxiesDown: 2 },
  });
});
