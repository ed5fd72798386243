/** Changes on several proxies: live on all that they concern, or on none. */
import { describe, expect, test } from 'bun:test';
import { startFleet } from '../../harness/fleet.ts';
import { forFile } from '../../harness/for-file.ts';
import { until } from '../../harness/stack.ts';

const fleet = await forFile(startFleet(['twin']));

const ALL = ['local', 'twin'];
const site = (host: string, words: string, more: object = {}) => ({
  domain: `http://${host}`,
  config: `respond ${words}`,
  ...more,
});
type Site = { id: number; agents: string[]; behind?: string[]; code?: string; agent?: string };
const create = (body: object, query = '') => fleet.call<Site>('POST', `/vhosts${query}`, body);
const answers = async (host: string) => Promise.all(ALL.map((name) => fleet.served(name, host)));

describe('a change', () => {
  test('is live on all of them with its answer', async () => {
    const made = await create(site('all.example', 'everywhere'));
    expect([made.status, made.body.agents, made.body.behind]).toEqual([201, [], undefined]);
    expect(await answers('all.example')).toEqual(['everywhere', 'everywhere']);
  });

  test('that one proxy refuses is live on none, and not recorded', async () => {
    const own = '/preamble?agent=local';
    const { config } = (await fleet.call<{ config: string }>('GET', own)).body;
    const more = { config: `${config}\n(only-here) {\n\trespond here\n}` };
    expect((await fleet.call('PUT', own, more)).status).toBe(200);
    const stored = async () => [
      (await fleet.call('GET', '/vhosts')).text,
      (await fleet.call('GET', '/changelog')).text,
    ];
    const before = await stored();
    const refused = await create({ domain: 'http://half.example', config: 'import only-here' });
    expect([refused.status, refused.body.code, refused.body.agent]).toEqual([
      502,
      'PROXY_REJECTED',
      'twin',
    ]);
    expect(await stored()).toEqual(before);
    expect(await answers('half.example')).toEqual(['', '']);
    expect((await fleet.call('PUT', own, { config })).status).toBe(200);
  });

  test('is live only where it is placed', async () => {
    const made = await create(site('some.example', 'here', { agents: ['local'] }));
    expect([made.status, made.body.agents]).toEqual([201, ['local']]);
    expect(await answers('some.example')).toEqual(['here', '']);
    const moved = await fleet.call<Site>('PUT', `/vhosts/${made.body.id}`, { agents: ['twin'] });
    expect(moved.body.agents).toEqual(['twin']);
    expect(await answers('some.example')).toEqual(['', 'here']);
  });
});

test('a policy that applies everywhere guards the sites of all of them', async () => {
  await create(site('roaming.example', 'roaming'));
  await create(site('only-twin.example', 'twin', { agents: ['twin'] }));
  const wide = {
    name: 'wide',
    recipe: 'maintenance',
    values: { text: 'closed' },
    everywhere: true,
  };
  const { body } = await fleet.call<{ id: number }>('POST', '/policies', wide);
  expect(await answers('roaming.example')).toEqual(['closed', 'closed']);
  expect(await answers('only-twin.example')).toEqual(['', 'closed']);
  await create(site('late.example', 'late', { agents: ['local'] }));
  expect(await answers('late.example')).toEqual(['closed', '']);
  await fleet.call('PUT', `/policies/${body.id}`, { everywhere: false });
  expect(await answers('roaming.example')).toEqual(['roaming', 'roaming']);
});

describe('an agent that is away', () => {
  test('is named, waited for once, and brought up when it is back', async () => {
    const twin = fleet.other('twin');
    await twin.stopOnly();
    const made = await create(site('away.example', 'later'));
    expect([made.status, made.body.behind]).toEqual([201, ['twin']]);
    const all = await create(site('never.example', 'no'), '?require=all');
    expect([all.status, all.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
    expect(await fleet.untilState('twin', 'unreachable')).toMatchObject({ name: 'twin' });
    const [entry] = (await fleet.call<{ behind: string[] }[]>('GET', '/changelog')).body;
    expect(entry?.behind).toEqual(['twin']);
    await twin.restart();
    await fleet.untilState('twin', 'in-step');
    await until(async () => (await fleet.served('twin', 'away.example')) === 'later', 'the site');
    expect(await fleet.served('twin', 'never.example')).toBe('');
  });
});
