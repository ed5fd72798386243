/** Two proxies, of which one cannot take what is stored: it is behind, and keeps nothing from the other. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fleet, startFleet } from '../../harness/fleet.ts';
import { freePort, temporaryFolder, until } from '../../harness/stack.ts';

type Site = { id: number; behind?: string[] };
type Refusal = { code: string; message: string; detail: string; hint?: string; agent?: string };

let fleet: Fleet;
/** Lacks variables that the other's Caddy has, as another version of it would lack directives. */
const OTHER = 'twin';
const ports: Record<string, number> = { local: freePort(), [OTHER]: freePort() };
const SHARED = '{\n\thttp_port {$OWN_HTTP}\n\thttps_port {$OWN_HTTPS}\n\tskip_install_trust\n}';
/** Line 5 is refused without the variable. */
const NEEDY = SHARED.replace('\n}', '\n\tgrace_period {$ONLY_LOCAL}\n}');
/** So is line 2. */
const LOCK = 'basicauth {\n\tada {$ONLY_LOCAL_HASH}\n}\nrespond locked';
let lock: number;

const call = <T>(method: string, path: string, json?: object) => fleet.call<T>(method, path, json);
const create = <T = Site>(host: string, more: object = {}) =>
  call<T>('POST', '/vhosts', { domain: `http://${host}`, config: `respond ${host}`, ...more });
const place = (agents: string[]) => call<Site & Refusal>('PUT', `/vhosts/${lock}`, { agents });
const preamble = (config: string | null, of = `?agent=${OTHER}`) =>
  call<Refusal>('PUT', `/preamble${of}`, { config });
const pause = (paused: boolean) => call('PATCH', `/agents/${OTHER}`, { paused });
const changes = async () => (await call<unknown[]>('GET', '/changelog')).text;
async function served(name: string, host: string) {
  const found = await fetch(`http://127.0.0.1:${ports[name]}/`, { headers: { Host: host } });
  return found.status === 401 ? 'asks' : found.text();
}

beforeAll(async () => {
  const folder = temporaryFolder();
  const hash = await Bun.password.hash('secret', { algorithm: 'bcrypt', cost: 4 });
  const file = (name: string, more = '') => {
    const path = join(folder, name);
    writeFileSync(path, `OWN_HTTP=${ports[name]}\nOWN_HTTPS=${freePort()}\n${more}`);
    return { PROXY_ENV_FILE: path };
  };
  const needed = `ONLY_LOCAL=1s\nONLY_LOCAL_HASH=${hash}\n`;
  fleet = await startFleet([OTHER], file('local', needed), undefined, file(OTHER));
  await preamble(SHARED, '');
  await preamble(null);
  await create('old.example');
  await pause(true);
  await preamble(NEEDY, '');
  lock = (await create('lock.example', { config: LOCK })).body.id;
  await pause(false);
  await fleet.untilState(OTHER, 'refused');
});
afterAll(() => fleet.stop());

test('it serves what it took last, and says what it lacks', async () => {
  expect(await served(OTHER, 'old.example')).toBe('old.example');
  expect(await served('local', 'lock.example')).toBe('asks');
  const seen = await fleet.untilState(OTHER, 'refused');
  expect(seen.detail).toContain('grace_period');
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
    expect(both.body).toMatchObject({ agent: OTHER, line: 2 });
    expect(both.body.detail).not.toContain('grace_period');
    expect(await served('local', 'also.example')).toBe('');
    const alone = await create<Refusal>('also.example', { config: LOCK, agents: [OTHER] });
    expect(alone.body).toMatchObject({ agent: OTHER, line: 2 });
  });

  test('a preamble of its own that it cannot take either', async () => {
    const { status, body } = await preamble(SHARED.replace('skip', 'skp'));
    expect([status, body.agent]).toEqual([502, OTHER]);
    expect(body.detail).toContain('skp_install_trust');
  });

  test('a site for it alone, with what is in the way, and what to do', async () => {
    const before = await changes();
    const { status, body } = await create<Refusal>('alone.example', { agents: [OTHER] });
    expect([status, body.code, body.agent]).toEqual([502, 'PROXY_REJECTED', OTHER]);
    expect(body.message).toContain('already');
    expect(body.detail).toContain('preamble, line 5');
    expect(body.hint).toContain('pause the agent, or place the site elsewhere');
    expect(await changes()).toBe(before);
    const domain = 'http://alone.example';
    const operation = { op: 'create', domain, config: 'respond x', agents: [OTHER] };
    const preview = await call<{ valid: boolean }>('POST', '/preview', operation);
    expect(preview.body.valid).toBe(false);
  });

  test('a change that all have to take', async () => {
    const domain = 'http://every.example';
    const path = '/vhosts?require=all';
    const { status, body } = await call<Refusal>('POST', path, { domain, config: 'respond x' });
    expect([status, body.agent]).toEqual([502, OTHER]);
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
    expect([status, body.behind]).toEqual([201, [OTHER]]);
    expect(await served('local', 'new.example')).toBe('new.example');
    expect(await served(OTHER, 'new.example')).toBe('');
  });

  test('a site for others', async () => {
    const { status, body } = await create('others.example', { agents: ['local'] });
    expect([status, body.behind]).toEqual([201, undefined]);
  });

  test('a change and the end of a site that it serves', async () => {
    const made = await create('short.example');
    const path = `/vhosts/${made.body.id}`;
    const changed = await call<Site>('PUT', path, { config: 'respond longer' });
    expect([changed.status, changed.body.behind]).toEqual([200, [OTHER]]);
    expect(await served('local', 'short.example')).toBe('longer');
    expect((await call('DELETE', path)).status).toBe(200);
    expect(await served('local', 'short.example')).toBe('');
  });
});

describe('it is repaired', () => {
  test('by placing the site elsewhere, though the preamble is refused still', async () => {
    const moved = await place(['local']);
    expect([moved.status, moved.body.behind]).toEqual([200, [OTHER]]);
    const back = await place([]);
    expect([back.status, back.body.agent]).toEqual([502, OTHER]);
    expect(back.body.detail).not.toContain('grace_period');
    await pause(true);
    expect((await place([])).status).toBe(200);
    await pause(false);
    await fleet.untilState(OTHER, 'refused');
  });

  test('by pausing it', async () => {
    expect((await pause(true)).status).toBe(200);
    expect((await create('paused.example')).body.behind).toEqual([OTHER]);
    await pause(false);
    await fleet.untilState(OTHER, 'refused');
  });

  test('by a preamble of its own, though the site is refused still', async () => {
    const { status } = await preamble(SHARED);
    expect(status).toBe(200);
    await until(async () => (await served(OTHER, 'new.example')) === 'new.example');
    expect(await served(OTHER, 'lock.example')).toBe('');
    const seen = await fleet.untilState(OTHER, 'refused');
    expect(seen.detail).toContain('lock.example');
    expect((await create('then.example')).body.behind).toBeUndefined();
    expect((await place(['local'])).status).toBe(200);
    await fleet.untilState(OTHER, 'in-step');
  });
});
