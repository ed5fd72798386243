// proof: podman
/** Containers with labels become sites, and stay what they were when labels or engine are at fault. */
import { afterAll, afterEach, expect, test } from 'bun:test';
import type { ContainerView } from '../../../src/features/containers/routes.ts';
import { openDatabase } from '../../../src/hub/db/open.ts';
import { agents, vhosts } from '../../../src/hub/db/schema.ts';
import { forFile, serverForFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';
import { USUAL } from '../../harness/pace.ts';
import { type Given, labelled, scriptedEngine } from '../../harness/scripted-engine.ts';
import { limit } from '../../harness/speed.ts';
import { until } from '../../harness/stack.ts';

type Site = Body & {
  check: object | null;
  domain: string;
  enabled: boolean;
  source: string | null;
  upstream: string;
};
const engine = scriptedEngine();
const { change } = engine;
const upstream = serverForFile(() => new Response('app'));

/** Milliseconds until the site of a container that is gone is deleted. */
const GONE = limit(1_000);

const paces = {
  ...USUAL,
  hub: { ...USUAL.hub, own: { ...USUAL.hub.own, containers: { gone: GONE } } },
};
const owner = await forFile(
  startOwner({ DOCKER_SOCKET: engine.socket, DOCKER_LABELS: 'all' }, undefined, paces),
);
afterAll(() => engine.end());

const app = (labels: Record<string, string>, more: Given = {}): Given =>
  labelled(upstream.port ?? 0, labels, more);
const sites = async () => (await owner.call<Site[]>('GET', '/vhosts')).body;
const site = async (name: string) =>
  (await sites()).find(({ domain }) => domain === `http://${name}.example`);
const containers = async () => (await owner.call<ContainerView[]>('GET', '/containers')).body;
const reasonOf = async (name: string) =>
  (await containers()).find((one) => one.name === name)?.reason;
const eventually = <T>(what: () => Promise<T | undefined | null | false>, words: string) =>
  until(what, words);

afterEach(async () => {
  engine.answer(null);
  change({});
  await eventually(async () => (await sites()).every(({ source }) => source === null), 'no sites');
  for (const { id } of await sites()) await owner.call('DELETE', `/vhosts/${id}`);
});

test('labels that are at fault make no site, and say why; others are not affected', async () => {
  const by = await owner.create('hand');
  change({
    plain: app({}),
    hand: app({ domain: 'http://hand.example' }),
    wrong: app({ domain: 'http://wrong.example', port: 'x' }),
    scheme: app({ domain: 'hand.example' }),
    unknown: app({ domain: 'http://unknown.example', policies: 'none' }),
    refused: app({ domain: 'http://refused.example', config: 'respnd' }),
    failing: app({ domain: 'http://failing.example', check: '{"path":"/","contains":"no"}' }),
    good: app({ domain: 'http://good.example', tags: 'home' }),
  });
  await eventually(() => site('good'), 'the good site');
  expect(await owner.served('good')).toBe('app');
  const { group } = (await owner.call<{ group: number }[]>('GET', '/changelog')).body[0] ?? {};
  expect(await site('good')).toMatchObject({
    source: 'containers/local',
    tags: ['home'],
    agents: ['local'],
  });
  expect((await owner.changelog())[0]).toMatchObject({ via: 'apply containers/local', group });
  // What Caddy may refuse is tried after the rest.
  await eventually(async () => (await reasonOf('refused'))?.includes('respnd'), 'one reason');
  await eventually(async () => (await reasonOf('failing'))?.includes('check'), 'the last reason');
  const reasons = Object.fromEntries(
    (await containers()).map(({ name, reason }) => [name, reason]),
  );
  expect(reasons).toMatchObject({
    plain: 'It has no label signalbox.domain.',
    hand: expect.stringContaining('kept by hand'),
    wrong: expect.stringContaining('signalbox.port'),
    scheme: expect.stringContaining('kept by hand'),
    unknown: expect.stringContaining('There is no policy "none"'),
    refused: expect.stringContaining('respnd'),
    failing: expect.stringContaining('check'),
    good: null,
  });
  expect((await sites()).map(({ domain }) => domain)).toEqual([
    'http://good.example',
    'http://hand.example',
  ]);
  expect(await site('hand')).toMatchObject({ id: by.id, source: null });
});

test('a site whose labels go wrong stays as it was, and is a problem', async () => {
  change({
    app: app({ domain: 'http://app.example' }),
    other: app({ domain: 'http://other.example' }),
  });
  const { id } = (await eventually(() => site('app'), 'the site')) as Site;
  const problems = async () =>
    (
      await owner.call<{ problems: { code: string; message: string; vhost?: { id: number } }[] }>(
        'GET',
        '/status',
      )
    ).body.problems;
  for (const [wrong, words] of [
    [{ domain: 'http://app.example', port: '0' }, 'signalbox.port'],
    [{ domain: 'http://app.example', config: 'respnd' }, 'respnd'],
    [{ domian: 'http://app.example' }, 'There is no label "signalbox.domian"'],
  ] as const) {
    const before = await owner.everything();
    change({
      app: app(wrong as Record<string, string>),
      other: app({ domain: 'http://other.example' }),
    });
    await eventually(async () => (await reasonOf('app'))?.includes(words), words);
    expect({ ...(await owner.everything()), log: '' }).toEqual({ ...before, log: '' });
    expect(await site('app')).toMatchObject({ id, enabled: true });
  }
  change({
    app: app({ domain: 'http://app.example', port: '0' }),
    other: app({ domain: 'http://other.example' }),
  });
  const found = await eventually(
    async () => (await problems()).find(({ code }) => code === 'LABELS_REFUSED'),
    'the problem',
  );
  expect(found).toMatchObject({ vhost: { id }, message: expect.stringContaining('container app') });
});

test('what stops is switched off, what is gone is deleted later, and what comes back is as before', async () => {
  const labels = { domain: 'http://app.example' };
  change({ app: app(labels) });
  const { id } = (await eventually(() => site('app'), 'the site')) as Site;
  change({ app: app(labels, { state: 'exited' }) });
  await eventually(async () => (await site('app'))?.enabled === false, 'it is off');
  expect(await reasonOf('app')).toBe('It is not running, but exited.');
  change({ app: app(labels) });
  await eventually(async () => (await site('app'))?.enabled, 'it is on');
  expect((await site('app'))?.id).toBe(id);
  change({});
  await eventually(async () => (await site('app'))?.enabled === false, 'it is off');
  await eventually(async () => !(await site('app')), 'it is deleted');
});

test('an engine that is lost changes nothing', async () => {
  change({ app: app({ domain: 'http://app.example' }) });
  await eventually(() => site('app'), 'the site');
  const before = await owner.everything();
  engine.answer(() => new Response('no', { status: 500 }));
  change({});
  await eventually(async () => (await reasonOf('app')) !== null, 'it is known');
  await Bun.sleep(GONE * 1.5);
  expect(await owner.everything()).toEqual(before);
  expect(await owner.served('app')).toBe('app');
});

test('what people change stays until the container changes', async () => {
  change({
    app: app({ domain: 'http://app.example' }),
    other: app({ domain: 'http://o.example' }),
  });
  const { id } = (await eventually(() => site('app'), 'the site')) as Site;
  await owner.call('PUT', `/vhosts/${id}`, { tags: ['mine'] });
  change({
    app: app({ domain: 'http://app.example' }),
    other: app({ domain: 'http://p.example' }),
  });
  await eventually(() => site('p'), 'the other site');
  change({
    app: app({ domain: 'http://app.example' }),
    other: app({ domain: 'http://q.example' }),
  });
  await eventually(() => site('q'), 'the third site');
  const { sources } = (await owner.call<{ sources: { differing: number }[] }>('GET', '/status'))
    .body;
  expect(sources.map(({ differing }) => differing)).toEqual([1]);
  expect(await site('app')).toMatchObject({ tags: ['mine'] });
  change({ app: app({ domain: 'http://app.example', check: '/' }) });
  await eventually(async () => (await site('app'))?.check, 'the new label');
  expect(await site('app')).toMatchObject({ tags: [] });
});

test('a restart of the hub loses nothing', async () => {
  change({ app: app({ domain: 'http://app.example' }) });
  await eventually(() => site('app'), 'the site');
  const before = await owner.everything();
  await owner.stack.restart();
  await eventually(async () => (await containers()).length === 1, 'the containers');
  await Bun.sleep(500);
  expect(await owner.everything()).toEqual(before);
});

test('a hub whose first agent has another name now keeps the sites of its containers', async () => {
  change({ app: app({ domain: 'http://app.example' }) });
  const { id } = (await eventually(() => site('app'), 'the site')) as Site;
  await owner.stack.restart(() => {
    const { db, close } = openDatabase(owner.stack.dataDir);
    db.update(agents).set({ name: 'old' }).run();
    db.update(vhosts).set({ source: 'containers/old' }).run();
    close();
  });
  expect(await site('app')).toMatchObject({ id, source: 'containers/local' });
});

test('what was gone when the engine was lost is not deleted as soon as that is back', async () => {
  change({ app: app({ domain: 'http://app.example' }) });
  const { id } = (await eventually(() => site('app'), 'the site')) as Site;
  const states = (state: string) =>
    owner.stack.lines.filter((line) =>
      line.includes(`"container engine" part=agent state=${state}`),
    ).length;
  const [ups, downs] = [states('up'), states('down')];
  change({});
  await eventually(async () => (await site('app'))?.enabled === false, 'it is off');
  engine.answer(() => new Response('no', { status: 500 }));
  await until(() => states('down') > downs, 'the engine is lost');
  await Bun.sleep(GONE);
  engine.answer(null);
  await until(() => states('up') > ups, 'it is back');
  // An engine that has just started may list nothing yet.
  await Bun.sleep(300);
  change({ app: app({ domain: 'http://app.example' }) });
  await eventually(async () => (await site('app'))?.enabled, 'it is on');
  expect((await site('app'))?.id).toBe(id);
});

test('what people delete, undo or switch off is as labels say once containers change', async () => {
  const labels = { domain: 'http://app.example' };
  const bump = (more: string) =>
    change({ app: app(labels), [more]: app({ domain: `http://${more}.example` }) });
  change({ app: app(labels) });
  const { id } = (await eventually(() => site('app'), 'the site')) as Site;
  expect((await owner.call('DELETE', `/vhosts/${id}`)).status).toBe(200);
  bump('one');
  const again = (await eventually(() => site('app'), 'it is back')) as Site;
  expect(again.id).not.toBe(id);

  const [entry] = (
    await owner.call<{ id: number; domain: string }[]>('GET', '/changelog')
  ).body.filter(({ domain }) => domain === 'http://app.example');
  expect((await owner.call('POST', `/changelog/${entry?.id}/revert`)).status).toBe(200);
  expect(await site('app')).toBeUndefined();
  bump('two');
  const last = (await eventually(() => site('app'), 'it is back again')) as Site;

  await owner.call('PUT', `/vhosts/${last.id}`, { enabled: false });
  bump('three');
  await eventually(() => site('three'), 'the next change');
  expect(await site('app')).toMatchObject({ id: last.id, enabled: false });
  change({ app: app({ ...labels, tags: 'new' }) });
  await eventually(async () => (await site('app'))?.enabled, 'other labels');

  await owner.call('PUT', `/vhosts/${last.id}`, { tags: ['mine'] });
  change({ app: app({ ...labels, tags: 'new' }, { state: 'exited' }) });
  await eventually(async () => (await site('app'))?.enabled === false, 'it is off');
  change({ app: app({ ...labels, tags: 'new' }) });
  await eventually(async () => (await site('app'))?.enabled, 'it is on');
  expect(await site('app')).toMatchObject({ id: last.id, tags: ['new'] });
});

test('a site that a file takes over is the file’s', async () => {
  const labels = { domain: 'http://app.example' };
  change({ app: app(labels) });
  await eventually(() => site('app'), 'the site');
  const sites = { 'http://app.example': { config: 'respond file' } };
  const applied = await owner.call('POST', '/apply', { source: 'file', sites, adopt: true });
  expect(applied.status).toBe(200);
  change({ app: app({ ...labels, tags: 'new' }) });
  await eventually(async () => (await reasonOf('app'))?.includes('kept by file'), 'the reason');
  change({ other: app({ domain: 'http://other.example' }) });
  await eventually(() => site('other'), 'the next change');
  expect(await site('app')).toMatchObject({ source: 'file', enabled: true });
  expect(await owner.served('app')).toBe('file');
  const gone = { source: 'file', sites: {}, prune: true };
  expect((await owner.call('POST', '/apply', gone)).status).toBe(200);
});
