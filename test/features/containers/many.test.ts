// proof: podman
/** Many containers, of which some are at fault in all ways, and some change all the time: others are served. */

import { afterAll, afterEach, expect, test } from 'bun:test';
import { PACE } from '../../../src/features/containers/hub.ts';
import { forFile, serverForFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { SHARE, USUAL } from '../../harness/pace.ts';
import { type Given, labelled, scriptedEngine } from '../../harness/scripted-engine.ts';
import { until } from '../../harness/stack.ts';

type Site = { domain: string; enabled: boolean; source: string | null; upstream: string };
type Container = { name: string; reason: string | null };

const engine = scriptedEngine();
const upstream = serverForFile(() => new Response('app'));
const app = (name: string, labels: Record<string, string> = {}, more: Given = {}): Given =>
  labelled(upstream.port ?? 0, { domain: `http://${name}.example`, ...labels }, more);

const owner = await forFile(
  startOwner({ DOCKER_SOCKET: engine.socket, DOCKER_LABELS: 'all' }, undefined, {
    ...USUAL,
    hub: { ...USUAL.hub, own: { ...USUAL.hub.own, containers: { gone: 500 } } },
  }),
);
afterAll(() => engine.end());
afterEach(async () => {
  engine.answer(null);
  engine.change({});
  await until(async () => (await sites()).length === 0, 'no sites');
});

const sites = async () => (await owner.call<Site[]>('GET', '/vhosts')).body;
const kept = async () => (await sites()).filter(({ source }) => source !== null).length;
const reasonOf = async (name: string) =>
  (await owner.call<Container[]>('GET', '/containers')).body.find((one) => one.name === name)
    ?.reason;

test('of 600 containers of which 300 are at fault, the others are served', async () => {
  const all = Array.from({ length: 600 }, (_, at): [string, Given] => [
    `c${at}`,
    app(`c${at}`, at % 2 ? {} : { policies: 'none' }),
  ]);
  engine.change(Object.fromEntries(all));
  await until(async () => (await kept()) === 300, 'the good ones');
  expect(await owner.served('c599')).toBe('app');
  expect(await reasonOf('c0')).toContain('There is no policy "none"');
  expect(await reasonOf('c599')).toBeNull();
});

test('one that Caddy refuses without naming it keeps no other from being served', async () => {
  const all = ['a', 'b', 'c', 'd', 'e'].map((name): [string, Given] => [
    name,
    app(name, { config: 'reverse_proxy {upstream}\n# own' }),
  ]);
  const wrong = app('wrong', { config: 'bind 192.0.2.77\nrespond wrong' });
  engine.change(Object.fromEntries([...all.slice(0, 3), ['wrong', wrong], ...all.slice(3)]));
  await until(async () => (await kept()) === 5, 'the good ones');
  await until(async () => (await reasonOf('wrong')) !== null, 'its reason');
  expect(await reasonOf('wrong')).toContain('listening on 192.0.2.77');
  expect(await owner.served('e')).toBe('app');
});

test('a storm of restarts publishes seldom, ends in the right state, and holds up no other', async () => {
  const between = PACE.between * SHARE;
  const publishes = () => owner.stack.lines.filter((line) => /event=publish .*accepted/.test(line));
  engine.change({ calm: app('calm') });
  await until(async () => (await kept()) === 1, 'the first site');
  const before = publishes().length;
  const from = performance.now();
  const stormy = (at: number, more: Record<string, Given> = {}) =>
    engine.change({
      calm: app('calm'),
      // Each time by another port, as a container gets another address.
      storm: labelled(
        20_000 + at,
        { domain: 'http://storm.example' },
        {
          id: 'e'.repeat(64),
          state: ['running', 'exited', 'restarting', 'running'][at % 4] as string,
        },
      ),
      ...more,
    });
  const seen = new Set<string>();
  let at = 0;
  // However few changes a busy machine makes in that time.
  const isEnough = () => at > 20 && seen.has('http://late.example');
  for (; performance.now() - from < 4 * between || !isEnough(); at++) {
    stormy(at, performance.now() - from > between ? { late: app('late') } : {});
    for (const { domain } of await sites()) seen.add(domain);
    await Bun.sleep(5);
  }
  const most = Math.ceil((performance.now() - from) / between) + 1;
  const count = publishes().length - before;
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThanOrEqual(most);
  engine.change({
    calm: app('calm'),
    storm: labelled(upstream.port ?? 0, { domain: 'http://storm.example' }),
  });
  await until(async () => (await owner.served('storm')) === 'app', 'the last state');
  expect(await owner.served('calm')).toBe('app');
  await until(
    async () => (await sites()).every((one) => one.enabled !== /late/.test(one.domain)),
    'the one that is gone is off',
  );
  console.log(
    `${at} changes within ${Math.round(performance.now() - from)} ms: ${count} publishes`,
  );
});
