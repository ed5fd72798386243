// proof: program
/** Which features start, and what a program without them is. */
import { describe, expect, test } from 'bun:test';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Feature } from '../../src/feature.ts';
import { FEATURE_PROBLEMS } from '../../src/features/problems.ts';
import { FEATURE_SETTINGS } from '../../src/features/settings.ts';
import { FEATURES } from '../../src/features.ts';
import { ProblemView } from '../../src/hub/watch/problem.ts';
import { commandsOf } from '../../src/program/cli/commands.ts';
import { readSettings } from '../../src/program/config.ts';
import { enabledFeatures } from '../../src/program/enabled.ts';
import { SETTINGS } from '../../src/program/settings.ts';
import { startOwner } from '../harness/owner.ts';
import { QUICK } from '../harness/pace.ts';
import { runProgram } from '../harness/program.ts';
import { freePort, machine, temporaryFolder, until } from '../harness/stack.ts';

const chain: Feature[] = [
  { name: 'a', needs: ['b'] },
  { name: 'b', needs: ['c'] },
  { name: 'c' },
  { name: 'd' },
];
const named = (value: string | undefined) =>
  enabledFeatures({ SIGNALBOX_FEATURES: value }, chain).map(({ name }) => name);

test('another name is refused, with the one that it may mean', () => {
  expect(() => named('none')).toThrow('names no feature: none; there are a, b, c, d');
  expect(() => enabledFeatures({ SIGNALBOX_FEATURES: 'container' })).toThrow(
    'did you mean containers?',
  );
  // A property that every object has is no feature.
  expect(() => named('constructor')).toThrow('names no feature');
});

test.each([
  [undefined, ['a', 'b', 'c', 'd']],
  ['', []],
  ['d', ['d']],
  ['b', ['b', 'c']],
  [' d, a ', ['a', 'b', 'c', 'd']],
])('%j starts %j', (value, names) => expect(named(value)).toEqual(names));

test('every feature needs others that there are', () => {
  const names = FEATURES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { needs = [] } of FEATURES) {
    expect(needs.filter((name) => !names.includes(name))).toEqual([]);
  }
});

test('no setting and no code is declared twice', async () => {
  const core = ['DATA_DIR', 'PROXY_DOWN', 'NOT_FOUND'];
  const all = [...core];
  for (const { name } of FEATURES) {
    const file = join(import.meta.dir, `../../src/features/${name}/words.ts`);
    if (!existsSync(file)) continue;
    const words = (await import(file)) as Record<string, object>;
    const { settings = {}, problems = {}, failures = {} } = words;
    for (const one of [settings, problems, failures]) all.push(...Object.keys(one));
  }
  expect(all.length).toBeGreaterThan(core.length);
  expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
  expect(Object.keys(SETTINGS)).toEqual(expect.arrayContaining(['DATA_DIR', 'DOCKER_SOCKET']));
});

test('each is among those of the program, behind the one that it follows', () => {
  const names = Object.keys(SETTINGS);
  for (const [core, settings] of Object.entries(FEATURE_SETTINGS)) {
    expect(names[names.indexOf(Object.keys(settings)[0] ?? '') - 1]).toBe(core);
  }
  const codes = ProblemView.properties.code.enum as string[];
  expect(codes).toEqual(expect.arrayContaining(Object.keys(FEATURE_PROBLEMS)));
});

test('a command of a feature that is out is unknown', async () => {
  const folder = temporaryFolder();
  try {
    const run = (value: string) =>
      runProgram(['containers', '--help'], { SIGNALBOX_FEATURES: value }, folder).exited();
    expect(await run('')).toMatchObject({ code: 2, out: '' });
    expect(await run('containers')).toMatchObject({ code: 0, err: '' });
    expect(await run('contain')).toMatchObject({ code: 1, out: '' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('without any feature', () => {
  const env = { SIGNALBOX_FEATURES: '' };

  test('no setting of one is read', () => {
    const { agent, hub } = readSettings('all', { ...env, DOCKER_SOCKET: 'nonsense' }, machine);
    expect([agent.plans, hub.plans]).toEqual([[], []]);
  });

  test('a hub serves sites, and has no route of one', async () => {
    const owner = await startOwner(env);
    try {
      expect(await owner.create('core', 'respond here')).toMatchObject({ id: 1 });
      for (const [method, path] of [
        ['GET', '/openapi.json'],
        ['GET', '/containers'],
        ['GET', '/channels'],
        ['POST', '/channels'],
        ['GET', '/deliveries'],
        ['POST', '/import'],
        ['POST', '/import/npm'],
        ['POST', '/apply'],
        ['GET', '/export?format=yaml'],
        ['GET', '/vhosts/uptime'],
        ['GET', '/vhosts/1/uptime'],
      ] as const) {
        const { status, body } = await owner.call(method, path);
        expect([path, status, body.code]).toEqual([path, 404, 'NOT_FOUND']);
      }
      for (const base of [owner.stack.hub, owner.stack.agent]) {
        const metrics = await fetch(new URL('/metrics', base), {
          headers: owner.stack.agentHeaders,
        });
        expect(metrics.status).toBe(404);
      }
      expect(await owner.served('core')).toBe('here');
    } finally {
      await owner.stack.stop();
    }
  });

  test('incidents are recorded and listed, and nobody gets a message', async () => {
    const owner = await startOwner(env, undefined, QUICK);
    try {
      const upstream = `127.0.0.1:${freePort()}`;
      const site = { domain: 'http://down.example', config: 'reverse_proxy {upstream}', upstream };
      await owner.call('POST', '/vhosts', site);
      const [incident] = await until(async () => {
        const { body } = await owner.call<{ event: string }[]>('GET', '/incidents');
        return body.length > 0 && body;
      }, 'an incident');
      expect(incident).toMatchObject({ event: 'upstream.down' });
    } finally {
      await owner.stack.stop();
    }
  });

  test('a check still refuses a change that fails it, and nothing is said of it later', async () => {
    const owner = await startOwner(env);
    try {
      const create = (name: string, config: string) =>
        owner.call('POST', '/vhosts', {
          domain: `http://${name}.example`,
          config,
          check: { path: '/' },
        });
      expect((await create('wrong', 'respond 500')).body.code).toBe('CHECK_FAILED');
      const { id } = (await create('right', 'respond here')).body;
      const { body } = await owner.call<{ check: object | null }>('GET', `/vhosts/${id}/state`);
      expect(body.check).toBeNull();
    } finally {
      await owner.stack.stop();
    }
  });

  test('all commands but its own are there', async () => {
    const [core, all] = [await commandsOf([]), await commandsOf(FEATURES)];
    const names = new Set(core.map(({ name }) => name));
    const own = await Promise.all(FEATURES.map(({ commands }) => commands?.([], []) ?? []));
    const missing = all.filter(({ name }) => !names.has(name)).map(({ name }) => name);
    expect(missing.toSorted()).toEqual(
      own
        .flat()
        .map(({ name }) => name)
        .toSorted(),
    );
    expect(missing).toContain('containers');
  });
});
