/** Who may call each operation of the OpenAPI document, and what a viewer gets: through a real Caddy. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { buildDocument } from '../../src/features/openapi/document.ts';
import { isAtLeast } from '../../src/hub/auth/guard.ts';
import { ABOUT, type About } from '../../src/hub/http/about.ts';
import { ROLES, type Role } from '../../src/shared/roles.ts';
import { inDatabase } from '../harness/database.ts';
import { folderForFile, forFile, serverForFile } from '../harness/for-file.ts';
import { createChecker, type Document, operationsOf } from '../harness/openapi.ts';
import { QUICK } from '../harness/pace.ts';
import { registered } from '../harness/routes.ts';
import { type Answer, ask, signUp, startStack, temporaryFolder, until } from '../harness/stack.ts';

const routes = registered(folderForFile());
const document = buildDocument(routes, '0.1.0') as unknown as Document;
const operations = operationsOf(document);
const declared = new Map(
  routes.flatMap(({ hooks }) => {
    const about = (hooks.detail as { [ABOUT]?: About } | undefined)?.[ABOUT];
    return about ? [[about.id, about] as const] : [];
  }),
);

/** In everything that a viewer must not get. */
const CANARY = 'cAnArY7f3e';
/** The only network of a policy that blocks. */
const NETWORK = '203.0.113.77';
const PASSWORD = 'a long passphrase';
type Headers = Record<string, string>;
const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` });

const stack = await forFile(startStack({ SIGN_UP: 'open' }, temporaryFolder(), QUICK));
let owner: Headers;
const callers: Partial<Record<Role, Record<'session' | 'read' | 'write', Headers>>> = {};
let body = 'ready';
const upstream = serverForFile(() => new Response(body));
const call = <T>(method: string, path: string, json?: unknown, headers = owner) =>
  ask<T>(`${stack.hub}${path}`, { method, headers, ...(json !== undefined && { json }) });

async function made<T>(method: string, path: string, json?: unknown): Promise<T> {
  const answer = await call<T>(method, path, json);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer.body;
}

async function addAccount(role: Role): Promise<Record<'session' | 'read' | 'write', Headers>> {
  const email = `${role}@example.org`;
  await made('POST', '/users', { name: role, email, password: PASSWORD, role });
  const json = { email, password: PASSWORD };
  const signIn = await call<{ token: string }>('POST', '/auth/sign-in/email', json, {});
  const session = bearer(signIn.body.token);
  const tokenOf = async (scope: string) => {
    const answer = await call<{ token: string }>(
      'POST',
      '/tokens',
      { name: scope, scope },
      session,
    );
    return bearer(answer.body.token);
  };
  return { session, read: await tokenOf('read'), write: await tokenOf('write') };
}

beforeAll(async () => {
  owner = (await signUp(stack)).headers;
  for (const role of ROLES) callers[role] = await addAccount(role);
});

/** @param params what stands for `{name}`; without, what no route knows */
async function ask1(
  { method, path }: (typeof operations)[number],
  headers: Headers,
  params: Headers = {},
  query = '',
): Promise<Answer> {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? '999');
  const url = `${stack.hub.replace(/\/api$/, '')}${filled}${query}`;
  const stopping = new AbortController();
  const response = await fetch(url, {
    method: method.toUpperCase(),
    headers,
    signal: stopping.signal,
    ...(method !== 'get' && { body: '{' }),
  });
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const parsed = isJson ? JSON.parse(text) : undefined;
    return { status: response.status, body: parsed, headers: response.headers, text };
  }
  let text = '';
  // What was written before comes first, because `after` names its beginning.
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk);
    if (!query.includes('after') || text.includes('event: ')) break;
  }
  stopping.abort();
  return { status: response.status, body: undefined, headers: response.headers, text };
}

describe('every operation is refused with FORBIDDEN_ROLE exactly if it declares so', () => {
  const checker = createChecker(document);
  const guarded = operations.filter(({ operation }) => declared.get(operation.operationId)?.needs);

  test('none is left out', () => {
    const open = operations.filter((one) => !guarded.includes(one));
    expect(open.map(({ operation }) => declared.get(operation.operationId)?.access)).toEqual(
      open.map(({ operation: { operationId } }) =>
        operationId === 'getMetrics' ? 'local' : 'anyone',
      ),
    );
    expect(guarded.length).toBeGreaterThan(50);
  });

  test.each(guarded.map((one) => [one.operation.operationId, one] as const))(
    '%s',
    async (id, one) => {
      const { access, needs = 'owner' } = declared.get(id) as About;
      for (const role of ROLES) {
        for (const [kind, headers] of Object.entries(callers[role] ?? {})) {
          // Of no agent: the ports stay as they are.
          const answer = await ask1(one, headers, {}, '?agent=nobody');
          const { code, needs: said } = (answer.body ?? {}) as { code?: string; needs?: string };
          const isToken = kind !== 'session';
          const isShut =
            isToken && (access === 'session' || (kind === 'read' && one.method !== 'get'));
          const expected = isShut
            ? 'FORBIDDEN'
            : isAtLeast(role, needs)
              ? 'allowed'
              : 'FORBIDDEN_ROLE';
          const found = answer.status === 403 ? code : 'allowed';
          expect([role, kind, found]).toEqual([role, kind, expected]);
          if (found === 'FORBIDDEN_ROLE') expect(said).toBe(needs);
          expect(answer.status).not.toBe(401);
          if (answer.status === 403) expect(checker.answer(one, answer)).toEqual([]);
        }
      }
    },
  );

  test('an editor may pause an agent, but only an owner may rename it', async () => {
    const { session = {} } = callers.editor ?? {};
    const rename = await call('PATCH', '/agents/local', { name: 'other', paused: true }, session);
    expect(rename).toMatchObject({ status: 403, body: { code: 'FORBIDDEN_ROLE', needs: 'owner' } });
    const pause = await call('PATCH', '/agents/local', { paused: false }, session);
    expect(pause).toMatchObject({ status: 200, body: { name: 'local' } });
  });

  test('a role in a sign-up is ignored', async () => {
    const json = { name: 'Eve', email: 'eve@example.org', password: PASSWORD, role: 'owner' };
    const { body } = await call<{ user: { role: string } }>(
      'POST',
      '/auth/sign-up/email',
      json,
      {},
    );
    expect(body.user.role).toBe('viewer');
  });
});

describe('a viewer gets nothing that may quote a config', () => {
  const ids: Headers = { name: 'local' };
  let secrets: string[];
  const own = { vhost: {} as Headers, policy: {} as Headers };

  /** What fills the parameters of an operation: things that there are. */
  function paramsOf({ path }: { path: string }): Headers {
    if (path.includes('/policies/')) return own.policy;
    return path.includes('/vhosts/') ? own.vhost : ids;
  }

  beforeAll(async () => {
    const { config } = await made<{ config: string }>('GET', '/preamble');
    await made('PUT', '/preamble', { config: `${config}\n(${CANARY}) {\n\trespond ${CANARY}\n}` });
    const values = { networks: [NETWORK] };
    const policy = await made<{ id: number }>('POST', '/policies', {
      name: 'blocked',
      recipe: 'block',
      values,
    });
    await made('POST', '/policies', {
      name: 'closed',
      recipe: 'maintenance',
      values: { text: CANARY },
    });
    body = `ready ${CANARY}`;
    const site = await made<{ id: number }>('POST', '/vhosts', {
      domain: 'http://watched.example',
      config: `header X-Key ${CANARY}\nreverse_proxy {upstream}`,
      policies: ['blocked'],
      upstream: `127.0.0.1:${upstream.port}`,
      check: { path: `/?key=${CANARY}`, contains: CANARY, every: 10 },
    });
    Object.assign(own, { vhost: { id: `${site.id}` }, policy: { id: `${policy.id}` } });
    await made('PUT', `/policies/${policy.id}`, {
      values: { networks: [NETWORK, '203.0.113.78'] },
    });
    await made('PUT', `/vhosts/${site.id}`, { tags: ['seen'] });
    const broken = await made<{ id: number }>('POST', '/vhosts', {
      domain: 'http://broken.example',
      config: 'respond hi',
    });
    await made('POST', '/channels', {
      name: CANARY,
      kind: 'webhook',
      target: { url: `http://127.0.0.1:1/${CANARY}` },
    });
    // As after an upgrade of Caddy: it refuses what is stored, and its words quote it.
    await stack.restart(() => {
      const refused = [`${CANARY}_directive on`, broken.id] as const;
      inDatabase(stack.dataDir, (db) =>
        db.run('UPDATE vhosts SET config = ? WHERE id = ?', [...refused]),
      );
    });
    type Problems = { problems: { code: string; key: string; message: string }[] };
    const wrong = await until(async () => {
      const { problems } = await made<Problems>('GET', '/status');
      return problems.find(({ code }) => code === 'VHOST_BROKEN');
    }, 'the refusal');
    expect(wrong.message).toContain(CANARY);
    ids.key = wrong.key;
    await made('PUT', `/problems/${wrong.key}/known`, { until: null });
    const path = `/?key=${CANARY}`;
    const url = `http://127.0.0.1:${stack.httpPort}${path}`;
    const headers = { Host: 'watched.example', Referer: url };
    await until(() => ask(url, { headers }).catch(() => null), 'Caddy');
    body = 'wrong';
    await until(
      async () =>
        (await made<{ check: object | null }>('GET', `/vhosts/${site.id}/state`)).check !== null,
      'the failing check',
    );
    const email = 'owner@example.org';
    for (let i = 0; i < 10; i++) {
      await call('POST', '/auth/sign-in/email', { email, password: 'wrong' }, {});
    }
    secrets = [CANARY, NETWORK, email];
  });

  /** As an owner sees more by each of them. */
  const QUERIES = [
    '',
    '?details=true',
    '?grouped=true',
    '?open=true',
    '?agent=local',
    '?buckets=3',
    `?q=${CANARY}`,
    `?path=${encodeURIComponent('/?key=')}`,
    '?after=0000000000000000-0',
    `?domain=${encodeURIComponent(`(problem ${CANARY}`)}`,
  ];
  const reads = operations.filter(({ method }) => method === 'get');
  /** Those of which the operation knows the parameter. */
  const queriesOf = ({ operation }: (typeof operations)[number]) => {
    const known = (operation.parameters ?? []).map(({ name }) => name);
    return QUERIES.filter((query) => {
      const [, name] = /^\?(\w+)=/.exec(query) ?? [];
      return name === undefined || known.includes(name);
    });
  };

  test('the answers to an owner have it: the test can fail', async () => {
    const found = new Set<string>();
    for (const one of reads) {
      for (const query of queriesOf(one)) {
        const { text } = await ask1(one, owner, paramsOf(one), query);
        if (secrets.some((secret) => text.includes(secret))) found.add(one.operation.operationId);
      }
    }
    const places = ['listVhosts', 'getVhost', 'listPolicies', 'getPolicy', 'listVhostStates'];
    places.push('getVhostState', 'getStatus', 'listIncidents', 'listChangelog', 'listLogs');
    for (const place of places) expect([...found]).toContain(place);
  });

  test('what is left says where and since when', async () => {
    const { session = {} } = callers.viewer ?? {};
    const get = async <T>(path: string) => (await call<T>('GET', path, undefined, session)).body;
    const site = await get<Record<string, unknown>>(`/vhosts/${own.vhost.id}`);
    expect(site).toMatchObject({ domain: 'http://watched.example', policies: ['blocked'] });
    expect(Object.keys(site)).not.toContain('config');
    expect(Object.keys(site)).not.toContain('check');
    expect(await get<object[]>('/policies')).toContainEqual(
      expect.objectContaining({ name: 'blocked', recipe: 'block', everywhere: false }),
    );
    const [agent] = await get<object[]>('/agents');
    expect(agent).toMatchObject({ name: 'local', paused: false });
    expect(Object.keys(agent ?? {})).not.toContain('url');
    const { problems } = await get<{ problems: object[] }>('/status');
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'CHECK_FAILING', message: expect.stringContaining('check') }),
    );
    const { logs } = await get<{ logs: { path: string }[] }>('/logs?domain=watched.example');
    expect(logs.map(({ path }) => path)).toContain('/');
  });

  test('an entity tag is the same for another config: nobody can guess it', async () => {
    const { session = {} } = callers.viewer ?? {};
    const tagsOf = (headers: Headers) =>
      Promise.all(
        [`/policies/${own.policy.id}`, `/vhosts/${own.vhost.id}`].map(async (path) =>
          (await call('GET', path, undefined, headers)).headers.get('etag'),
        ),
      );
    const [before, owners] = [await tagsOf(session), await tagsOf(owner)];
    expect(before).not.toContain(null);
    await stack.restart(() => {
      inDatabase(stack.dataDir, (db) => {
        db.run(`UPDATE policies SET "values" = replace("values", '113.78', '113.79')`);
        db.run(`UPDATE vhosts SET config = replace(config, 'X-Key', 'X-Other')`);
      });
    });
    expect(await tagsOf(session)).toEqual(before);
    for (const [i, tag] of (await tagsOf(owner)).entries()) expect(tag).not.toBe(owners[i] ?? '');
  });

  const [last] = operations.filter(({ operation }) => operation.operationId === 'signOut');
  const others = operations.filter((one) => one !== last);
  test.each(
    [...others, ...(last ? [last] : [])].map((one) => [one.operation.operationId, one] as const),
  )('%s', async (_, one) => {
    for (const headers of Object.values(callers.viewer ?? {})) {
      for (const query of one.method === 'get' ? queriesOf(one) : ['']) {
        const { text, headers: shown } = await ask1(one, headers, paramsOf(one), query);
        const all = `${text}\n${JSON.stringify([...shown])}`;
        for (const secret of secrets) expect(all).not.toContain(secret);
      }
    }
  });
});

describe('a role that changes meanwhile', () => {
  const created: string[] = [];
  /** Sends a body slowly; the answer comes after `meanwhile`. */
  async function slowly(headers: Headers, meanwhile: () => Promise<unknown>): Promise<Answer> {
    const text = JSON.stringify({ domain: 'http://slow.example', config: 'respond slow' });
    const encoder = new TextEncoder();
    const stream = new ReadableStream({
      async start(controller) {
        controller.enqueue(encoder.encode(text.slice(0, 10)));
        await meanwhile();
        controller.enqueue(encoder.encode(text.slice(10)));
        controller.close();
      },
    });
    const url = `${stack.hub}/vhosts`;
    const type = { 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers: { ...headers, ...type }, body: stream };
    const response = await fetch(url, { ...init, duplex: 'half' } as RequestInit);
    const answer = await response.text();
    created.push(answer);
    return {
      ...response,
      status: response.status,
      body: JSON.parse(answer),
      text: answer,
      headers: response.headers,
    };
  }

  async function demoted(email: string, role: Role) {
    const users = await made<{ id: string; email: string }[]>('GET', '/users');
    const userId = users.find((one) => one.email === email)?.id;
    await made('POST', '/auth/admin/set-role', { userId, role });
  }

  test('ends an upload by a token, and bounds the token at once', async () => {
    const { write = {} } = callers.editor ?? {};
    const answer = await slowly(write, () => demoted('editor@example.org', 'viewer'));
    expect(answer).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN_ROLE', needs: 'editor' },
    });
    expect((await call('GET', '/proxyfile', undefined, write)).status).toBe(403);
    const { body } = await call<object[]>('GET', '/vhosts', undefined, write);
    expect(JSON.stringify(body)).not.toContain('config');
    expect(JSON.stringify(body)).not.toContain('slow.example');
  });

  test('ends a session, its upload and its stream', async () => {
    const { session = {} } = callers.owner ?? {};
    const tail = await fetch(`${stack.hub}/logs/tail`, { headers: session });
    const answer = await slowly(session, () => demoted('owner@example.org', 'viewer'));
    expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    // Ends by itself, or breaks off.
    await tail.text().catch(() => '');
    expect((await call('GET', '/vhosts', undefined, session)).status).toBe(401);
  });
});
