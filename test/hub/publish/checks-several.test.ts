/** Checks on several proxies: a change stays only if each that serves the site answers as it should. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { startFleet } from '../../harness/fleet.ts';
import { forFile } from '../../harness/for-file.ts';
import { limit } from '../../harness/speed.ts';

type Body = { id: number; code?: string; agent?: string; detail?: string; behind?: string[] };

const fleet = await forFile(startFleet(['twin']));
beforeAll(async () => {
  // A snippet by which the same site answers otherwise on each.
  for (const name of ['local', 'twin']) {
    const { body } = await fleet.call<{ config: string }>('GET', `/preamble?agent=${name}`);
    const config = `${body.config}\n(here) {\n\trespond ${name}\n}\n`;
    const set = await fleet.call('PUT', `/preamble?agent=${name}`, { config });
    if (set.status !== 200) throw new Error(set.text);
  }
  await create('base', 'here|there', null);
});

const create = (name: string, contains: string, check: object | null = {}, more: object = {}) =>
  fleet.call<Body>('POST', '/vhosts', {
    domain: `http://${name}.example`,
    config: 'import here',
    check: check && { path: '/', contains, within: limit(400) / 1_000, ...check },
    ...more,
  });
const served = (name: string) =>
  Promise.all(['local', 'twin'].map((agent) => fleet.served(agent, `${name}.example`)));

/** What is stored, on disk and live. */
async function everything() {
  const { stack } = fleet;
  const twin = fleet.other('twin');
  const { body } = await stack.askAgent<{ liveDigest: string }>('/proxy/status');
  return {
    list: (await fleet.call('GET', '/vhosts')).text,
    log: (await fleet.call('GET', '/changelog')).text,
    files: [stack.readProxyfile(), twin.readProxyfile()],
    live: body.liveDigest,
    served: [await served('base'), await served('split')],
  };
}

describe('a change is taken back on both', () => {
  test.each([
    ['local', 'twin'],
    ['twin', 'local'],
  ])('if it passes on %s and fails on %s, which is named', async (passes, fails) => {
    const before = await everything();
    const { status, body } = await create('split', passes);
    expect([status, body]).toMatchObject([
      502,
      {
        code: 'CHECK_FAILED',
        agent: fails,
        detail: `on ${fails}: The response body of GET / does not contain “${passes}”`,
      },
    ]);
    expect(await everything()).toEqual(before);
    expect((await fleet.agents()).map(({ state }) => state)).toEqual(['in-step', 'in-step']);
  });

  test('if a preamble of one breaks a site there', async () => {
    const made = await create('kept', 'twin', {}, { agents: ['twin'] });
    expect(made.status).toBe(201);
    const before = await everything();
    const { body } = await fleet.call<{ config: string }>('GET', '/preamble?agent=twin');
    const config = body.config.replace('respond twin', 'respond other');
    const set = await fleet.call<Body>('PUT', '/preamble?agent=twin', { config });
    expect([set.status, set.body]).toMatchObject([
      502,
      {
        code: 'CHECK_FAILED',
        agent: 'twin',
        detail:
          'on twin, in http://kept.example: The response body of GET / does not contain “twin”',
      },
    ]);
    expect(await everything()).toEqual(before);
    await fleet.call('DELETE', `/vhosts/${made.body.id}`);
  });
});

describe('a change is accepted', () => {
  test('if it passes where the site is placed', async () => {
    const made = await create('placed', 'local', {}, { agents: ['local'] });
    expect([made.status, made.body.code]).toEqual([201, undefined]);
    expect(await served('placed')).toEqual(['local', '']);
    const moved = await fleet.call<Body>('PUT', `/vhosts/${made.body.id}`, { agents: ['twin'] });
    expect([moved.status, moved.body.agent]).toEqual([502, 'twin']);
    expect(await served('placed')).toEqual(['local', '']);
    await fleet.call('DELETE', `/vhosts/${made.body.id}`);
  });

  test('without one that is away, which is not asked', async () => {
    await fleet.other('twin').stopOnly();
    const made = await create('away', 'local');
    expect([made.status, made.body.behind]).toEqual([201, ['twin']]);
    await fleet.other('twin').restart();
    await fleet.untilState('twin', 'in-step');
    // What was accepted stays: bringing a proxy up asks nobody.
    expect(await served('away')).toEqual(['local', 'twin']);
  });
});
