// proof: hub
/** Two proxies, of which one cannot take what is stored: it is behind, and keeps nothing from the other. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { until } from '../../harness/stack.ts';
import {
  LACKING,
  type Refusal,
  sharedPreamble,
  startUnevenFleet,
} from '../../harness/uneven-fleet.ts';

type State = { problem: string; downOn: string[] };
type Site = { id: number; behind?: string[] };

const fleet = await forFile(startUnevenFleet());
/** One does not accept line 2. */
const LOCK = 'basicauth {\n\tada {$NEEDED_HASH}\n}\nrespond locked';
/** An authority that sites can name. */
const AUTHORITY = 'pki {\n\t\tca mine {\n\t\t\tname Mine\n\t\t}\n\t}';
let lock: number;
/** A site that it alone serves, and still takes. */
let healthy: number;

const call = <T>(method: string, path: string, json?: object) => fleet.call<T>(method, path, json);
const create = <T = Site>(host: string, more: object = {}) =>
  call<T>('POST', '/vhosts', { domain: `http://${host}`, config: `respond ${host}`, ...more });
const place = (agents: string[]) => call<Site & Refusal>('PUT', `/vhosts/${lock}`, { agents });
const changes = async () => (await call<unknown[]>('GET', '/changelog')).text;
const served = (agent: string, host: string) => fleet.answers(agent, host);
/** The preamble that one refuses, and a site; both are stored while that one is paused. */
beforeAll(async () => {
  await create('old.example');
  const only = { agents: [LACKING] };
  healthy = (await create('healthy.example', only)).body.id;
  await fleet.pause(true);
  await fleet.setShared(sharedPreamble(`grace_period {$NEEDED}\n\t${AUTHORITY}`));
  lock = (await create('lock.example', { config: LOCK })).body.id;
  await fleet.pause(false);
  await fleet.untilState(LACKING, 'refused');
});

test('it serves what it took last, and says what it lacks', async () => {
  expect(await served(LACKING, 'old.example')).toBe('old.example');
  expect(await served('local', 'lock.example')).toBe('401');
  const seen = await fleet.untilState(LACKING, 'refused');
  expect(seen.detail).toContain('refuses what is stored: preamble, line 5');
  const { body } = await call<State>('GET', `/vhosts/${lock}/state`);
  expect(body.downOn).toEqual([LACKING]);
  expect(body.problem).toContain(`${LACKING}: Caddy refuses what is stored: preamble, line 5`);
  const status = await call<{ problems: { code: string; message: string }[] }>('GET', '/status');
  const codes = status.body.problems.map(({ code }) => code);
  expect(codes.filter((code) => code === 'VHOST_BROKEN')).toEqual([]);
  expect(codes).toContain('NOT_IN_STEP');
  // The hub does not know the ports, which are variables, so that it counts the other sites as well.
  await until(async () => {
    await call('GET', '/status');
    return (await call<{ sitesDown: number }>('GET', '/summary')).body.sitesDown === 3;
  }, 'all sites of the proxy to count as down');
});

describe('refused, with the change as it was sent, is', () => {
  test('what no proxy accepts', async () => {
    const before = await changes();
    const { status, body } = await create<Refusal>('typo.example', { config: 'ok\nrespnd x' });
    expect([status, body.code, body.agent]).toEqual([502, 'PROXY_REJECTED', 'local']);
    expect(body.detail).not.toContain('grace_period');
    expect(await changes()).toBe(before);
  });

  test('another site that only this one cannot take', async () => {
    const both = await create<Refusal>('also.example', { config: LOCK });
    expect(both.status).toBe(502);
    expect(both.body).toMatchObject({ agent: LACKING, line: 2 });
    expect(both.body.detail).not.toContain('grace_period');
    expect(await served('local', 'also.example')).toBe('');
    const alone = await create<Refusal>('also.example', { config: LOCK, agents: [LACKING] });
    expect(alone.body).toMatchObject({ agent: LACKING, line: 2 });
  });

  test('a preamble of its own that it cannot take either', async () => {
    const { status, body } = await fleet.setOwn(sharedPreamble().replace('skip', 'skp'));
    expect([status, body.agent]).toEqual([502, LACKING]);
    expect(body.detail).toContain('skp_install_trust');
  });

  test('a site for it alone, with what is in the way, and what to do', async () => {
    const before = await changes();
    const { status, body } = await create<Refusal>('alone.example', { agents: [LACKING] });
    expect([status, body.code, body.agent]).toEqual([502, 'PROXY_REJECTED', LACKING]);
    expect(body.message).toContain('already');
    expect(body.detail).toContain('preamble, line 5');
    expect(body.hint).toContain('pause the agent, or place the site elsewhere');
    expect(await changes()).toBe(before);
    const domain = 'http://alone.example';
    const operation = { op: 'create', domain, config: 'respond x', agents: [LACKING] };
    const preview = await call<{ valid: boolean }>('POST', '/preview', operation);
    expect(preview.body.valid).toBe(false);
  });

  test('the end of a site that it alone serves, and would go on serving', async () => {
    const path = `/vhosts/${healthy}`;
    for (const [method, json] of [['DELETE'], ['PUT', { enabled: false }]] as const) {
      const { status, body } = await call<Refusal>(method, path, json);
      expect([status, body.agent]).toEqual([502, LACKING]);
    }
    expect(await served(LACKING, 'healthy.example')).toBe('healthy.example');
  });

  test('a change that all have to take', async () => {
    const domain = 'http://every.example';
    const path = '/vhosts?require=all';
    const { status, body } = await call<Refusal>('POST', path, { domain, config: 'respond x' });
    expect([status, body.agent]).toEqual([502, LACKING]);
    expect(await served('local', 'every.example')).toBe('');
  });
});

describe('accepted elsewhere is', () => {
  test('a site for all, which it lacks', async () => {
    const domain = 'http://new.example';
    const operation = { op: 'create', domain, config: 'respond x' };
    const preview = await call<{ valid: boolean }>('POST', '/preview', operation);
    expect(preview.body.valid).toBe(true);
    const { status, body } = await create('new.example');
    expect([status, body.behind]).toEqual([201, [LACKING]]);
    expect(await served('local', 'new.example')).toBe('new.example');
    expect(await served(LACKING, 'new.example')).toBe('');
  });

  test('a site that needs something of the refused preamble', async () => {
    const json = {
      domain: 'leans.example',
      config: 'tls {\n\tissuer internal {\n\t\tca mine\n\t}\n}',
    };
    const { status, body } = await call<Site>('POST', '/vhosts', json);
    expect([status, body.behind]).toEqual([201, [LACKING]]);
    expect((await call('DELETE', `/vhosts/${body.id}`)).status).toBe(200);
  });

  test('a site for others', async () => {
    const { status, body } = await create('others.example', { agents: ['local'] });
    expect([status, body.behind]).toEqual([201, undefined]);
  });

  test('a change and the end of a site that it serves', async () => {
    const made = await create('short.example');
    const path = `/vhosts/${made.body.id}`;
    const changed = await call<Site>('PUT', path, { config: 'respond longer' });
    expect([changed.status, changed.body.behind]).toEqual([200, [LACKING]]);
    expect(await served('local', 'short.example')).toBe('longer');
    expect((await call('DELETE', path)).status).toBe(200);
    expect(await served('local', 'short.example')).toBe('');
  });
});

test('of changes that come at once, each is judged by itself', async () => {
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      create<Site & Refusal>(`at-once-${at}.example`, {
        agents: [at % 2 === 0 ? 'local' : LACKING],
      }),
    ),
  );
  for (const [at, { status, body }] of all.entries()) {
    const isLocal = at % 2 === 0;
    expect([at, status, body.behind]).toEqual([at, isLocal ? 201 : 502, undefined]);
  }
  const queries = ['', '?require=all', '', '?require=all'];
  const demanding = await Promise.all(
    queries.map((query, at) =>
      call('POST', `/vhosts${query}`, {
        domain: `http://demand-${at}.example`,
        config: 'respond x',
      }),
    ),
  );
  expect(demanding.map(({ status }) => status)).toEqual([201, 502, 201, 502]);
});

test('a comment with the word import does not keep a site from being judged', async () => {
  const { status, body } = await create<Refusal>('word.example', { config: `# import\n${LOCK}` });
  expect([status, body.agent]).toEqual([502, LACKING]);
});

test('a restore with a preamble and a site that it still refuses ends', async () => {
  type Snapshot = { preamble: string; vhosts: { domain: string; config: string }[] };
  const now = (await call<Snapshot>('GET', '/export')).body;
  const vhosts = now.vhosts.map((one) =>
    one.domain === 'http://lock.example' ? { ...one, config: `${one.config}2` } : one,
  );
  const json = { ...now, preamble: sharedPreamble(), vhosts };
  const { status } = await call('POST', '/restore?replace=true', json);
  expect(status).toBe(502);
  expect((await create('after.example')).status).toBe(201);
});

describe('it is repaired', () => {
  test('by placing the site elsewhere, though the preamble is refused still', async () => {
    const moved = await place(['local']);
    expect([moved.status, moved.body.behind]).toEqual([200, [LACKING]]);
    const back = await place([]);
    expect([back.status, back.body.agent]).toEqual([502, LACKING]);
    expect(back.body.detail).not.toContain('grace_period');
    await fleet.pause(true);
    expect((await place([])).status).toBe(200);
    await fleet.pause(false);
    await fleet.untilState(LACKING, 'refused');
  });

  test('by pausing it', async () => {
    expect((await fleet.pause(true)).status).toBe(200);
    expect((await create('paused.example')).body.behind).toEqual([LACKING]);
    await fleet.pause(false);
    await fleet.untilState(LACKING, 'refused');
  });

  test('by a preamble of its own, though the site is refused still', async () => {
    const { status } = await fleet.setOwn(sharedPreamble());
    expect(status).toBe(200);
    await until(async () => (await served(LACKING, 'new.example')) === 'new.example');
    expect(await served(LACKING, 'lock.example')).toBe('');
    const seen = await fleet.untilState(LACKING, 'refused');
    expect(seen.detail).toContain('lock.example');
    expect((await create('then.example')).body.behind).toBeUndefined();
    expect((await place(['local'])).status).toBe(200);
    await fleet.untilState(LACKING, 'in-step');
  });
});
