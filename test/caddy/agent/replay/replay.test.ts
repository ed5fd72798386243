// proof: agent
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { socketsOf } from '../../../../agent/caddy/ports/sockets.ts';
import { findCaddies } from '../../../../agent/caddy/process/processes.ts';
import { REPLAY_MS, type ReplayState } from '../../../../src/features/replay/wire.ts';
import { caddyIs } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';
import { startLoneAgent } from '../../../harness/lone-agent.ts';
import { limit } from '../../../harness/speed.ts';
import { freePort, until } from '../../../harness/stack.ts';

// Visitors come first, so on a busy machine a replay may take all the time that it has.
setDefaultTimeout(limit(2 * REPLAY_MS));

/** How often each upstream was asked. */
const asked = { one: 0, two: 0, auth: 0 };
const upstream = (name: keyof typeof asked, status = 200) =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch() {
      asked[name]++;
      return new Response(name, { status });
    },
  });
const [one, two, auth] = [upstream('one'), upstream('two'), upstream('auth', 401)];

const agent = await forFile(startLoneAgent());
afterAll(() => Promise.all([one, two, auth].map((server) => server.stop(true))));

const head = () => `{
	http_port ${agent.httpPort}
	https_port ${agent.httpsPort}
	skip_install_trust
}
`;
const site = (config: string, name = 'app.example') => `https://${name} {
	tls internal
	${config}
}
`;
const proxied = (server: { port?: number | undefined }) => `reverse_proxy 127.0.0.1:${server.port}`;

async function publish(text: string): Promise<void> {
  const { status, text: words } = await agent.reload(head() + text);
  if (status !== 200) throw new Error(words);
}

type Request = { hosts?: string[] | null; signedIn?: boolean; days?: number };

async function replay(text: string, more: Request = {}): Promise<ReplayState> {
  const body = { proxyfile: head() + text, hosts: null, days: 7, requests: 1_000, ...more };
  const started = await agent.get<{ id: string }>('/proxy/replay', body);
  if (started.status !== 200) throw new Error(started.text);
  return ended(started.body.id);
}

const stateOf = async (id: string) => (await agent.get<ReplayState>(`/proxy/replay?id=${id}`)).body;

const ended = (id: string): Promise<ReplayState> =>
  until(
    async () => {
      const state = await stateOf(id);
      return state.state !== 'running' && state;
    },
    'the replay to end',
    REPLAY_MS,
  );

/** What there is of trials: folders and processes. */
const left = (): string[] => [...trialFolders(), ...trialPids().map(String)];

const trialFolders = (): string[] =>
  readdirSync(join(agent.dataDir, 'caddy')).filter((name) => name.startsWith('trial-'));

const trialPids = (): number[] =>
  trialFolders()
    .flatMap((name) => findCaddies(join(agent.dataDir, 'caddy', name), 'caddy'))
    .map(({ pid }) => pid);

/** Requests of visitors, as Caddy writes them. */
function logged(requests: readonly Partial<Logged>[]): void {
  const lines = requests.map((one) => {
    const all = {
      ip: '192.0.2.7',
      method: 'GET',
      host: 'app.example',
      uri: '/',
      times: 1,
      headers: {},
      tls: true,
      status: 200,
      ...one,
    };
    const { ip, method, host, uri, headers, tls, status, times } = all;
    const request = {
      remote_ip: ip,
      remote_port: '5000',
      client_ip: ip,
      proto: 'HTTP/2.0',
      method,
      host,
      uri,
      headers: { Accept: ['*/*'], ...headers },
      ...(tls && {
        tls: { resumed: false, version: 772, cipher_suite: 4865, proto: 'h2', server_name: host },
      }),
    };
    const line = {
      level: 'info',
      ts: Date.now() / 1_000,
      logger: 'http.log.access',
      msg: 'handled request',
      request,
      bytes_read: 0,
      user_id: '',
      duration: 0.001,
      size: 3,
      status,
      resp_headers: { Server: ['Caddy'] },
    };
    return `${JSON.stringify(line)}\n`.repeat(times);
  });
  appendFileSync(agent.env.ACCESS_LOG ?? '', lines.join(''));
}
type Logged = {
  ip: string;
  method: string;
  host: string;
  uri: string;
  tls: boolean;
  times: number;
  status: number;
  headers: Record<string, string[]>;
};

const live = () => site(proxied(one));
const knowsAddresses = caddyIs('>=2.7.0');

/** The statuses and upstreams of each group, with how many requests it has and how often they came. */
const groupsOf = ({ groups }: ReplayState) =>
  groups.map(({ requests, count, before, after }) => ({
    requests,
    count,
    was: [before.status, before.to, before.location],
    is: [after.status, after.to, after.location],
  }));
const answeredBy = ({ port }: { port?: number | undefined }) => [200, `127.0.0.1:${port}`, null];
const [toOne, toTwo] = [answeredBy(one), answeredBy(two)];

beforeEach(async () => {
  await publish(live());
  writeFileSync(agent.env.ACCESS_LOG ?? '', '');
  logged([
    { uri: '/a', times: 3 },
    { uri: '/b?token=secret', ip: '192.168.1.9' },
    { uri: '/c', method: 'POST', ip: '192.168.1.9' },
    { uri: '/', host: 'nobody.example' },
    { uri: '/a', tls: false },
  ]);
});

describe('a replay is refused', () => {
  test('while another one runs, which goes on', async () => {
    const body = { proxyfile: head() + live(), hosts: null, days: 7, requests: 100 };
    const { body: first } = await agent.get<{ id: string }>('/proxy/replay', body);
    const { status, body: refusal } = await agent.get<{ code: string }>('/proxy/replay', body);
    expect([status, refusal.code]).toEqual([429, 'RATE_LIMITED']);
    expect((await ended(first.id)).state).toBe('done');
  });

  test('with more days or requests than it may have', async () => {
    for (const wrong of [{ days: 31 }, { requests: 99 }, { requests: 50_001 }, { days: 0 }]) {
      const body = { proxyfile: '', hosts: null, days: 7, requests: 100, ...wrong };
      expect((await agent.get('/proxy/replay', body)).status).toBe(400);
    }
  });

  test('by an id that nobody has', async () => {
    const { status } = await agent.get('/proxy/replay?id=8a6f');
    expect(status).toBe(404);
  });
});

test('a replay that has ended can be read after the next one', async () => {
  const body = { proxyfile: head() + live(), hosts: null, days: 7, requests: 100 };
  const { body: first } = await agent.get<{ id: string }>('/proxy/replay', body);
  const found = await ended(first.id);
  await replay(live());
  expect(await ended(first.id)).toEqual(found);
});

describe('a replay fails, and leaves nothing behind,', () => {
  test('if Caddy would refuse the text', async () => {
    const { state, detail, groups } = await replay(site('nonsense'));
    expect(state).toBe('failed');
    expect(detail).toContain('nonsense');
    expect(groups).toEqual([]);
    expect(left()).toEqual([]);
  });

  test('if Caddy adapts the text, and does not start with it', async () => {
    const { state, detail } = await replay(site('@x path_regexp x ^(\nrespond @x 200'));
    expect(state).toBe('failed');
    expect(detail).toContain('missing closing');
    expect(left()).toEqual([]);
  });

  test('if something else is published meanwhile', async () => {
    const body = { proxyfile: head() + live(), hosts: null, days: 7, requests: 100 };
    const { body: first } = await agent.get<{ id: string }>('/proxy/replay', body);
    await publish(site(proxied(two)));
    const { state, detail } = await ended(first.id);
    expect(state).toBe('failed');
    expect(detail).toBe('The configuration changed in the meantime. Ask again.');
    expect(left()).toEqual([]);
  });
});

describe('a replay in which a trial', () => {
  const trials = () =>
    ['trial-1', 'trial-2'].map(
      (name) => findCaddies(join(agent.dataDir, 'caddy', name), 'caddy')[0]?.pid,
    );
  const trialAfter = () => trials()[1] ?? expect.unreachable('no trial');
  async function begun(): Promise<string> {
    logged(Array.from({ length: 5_000 }, (_, i) => ({ uri: `/many/${i}` })));
    const proxyfile = head() + site(proxied(two));
    const body = await agent
      .get<{ id: string }>('/proxy/replay', { proxyfile, hosts: null, days: 7, requests: 50_000 })
      .then((answer) => answer.body);
    const hasBegun = async () => {
      const state = await stateOf(body.id);
      expect(state).toMatchObject({ state: 'running' });
      return state.done > 0;
    };
    await until(hasBegun, 'the first response', REPLAY_MS);
    return body.id;
  }

  test('is killed fails, and finds no differences of it', async () => {
    const id = await begun();
    process.kill(trialAfter(), 'SIGKILL');
    const { state, detail, groups } = await ended(id);
    expect([state, detail]).toEqual([
      'failed',
      'A Caddy of the replay ended early, maybe because memory is short.',
    ]);
    expect(groups.filter(({ after }) => after.status === null)).toEqual([]);
    expect(left()).toEqual([]);
  });

  test('is slow leaves out what it does not answer', async () => {
    const id = await begun();
    const pid = trialAfter();
    process.kill(pid, 'SIGSTOP');
    const reason = 'Not answered within 2 s';
    await until(
      async () => (await stateOf(id)).leftOut.some((one) => one.reason === reason),
      reason,
    );
    process.kill(pid, 'SIGCONT');
    const { state, groups } = await ended(id);
    expect(state).toBe('done');
    expect(groups.filter(({ after }) => after.status === null)).toEqual([]);
  });
});

test('ends when it is told to, and is forgotten', async () => {
  const body = { proxyfile: head() + live(), hosts: null, days: 7, requests: 100 };
  const { body: first } = await agent.get<{ id: string }>('/proxy/replay', body);
  await until(() => left().length > 0 || undefined);
  expect((await agent.get('/proxy/replay/end', { id: first.id })).status).toBe(200);
  expect(left()).toEqual([]);
  expect((await agent.get(`/proxy/replay?id=${first.id}`)).status).toBe(404);
});

/** The ports of this agent's trial of what is live, by proc_pid_net(5): 127.101.0.1, listening. */
function trialPorts(): number[] {
  const own = new Set(trialPids().flatMap(inodesOf));
  return [...readFileSync('/proc/net/tcp', 'utf8').matchAll(LISTENING)].flatMap(
    ([, port = '', inode = '']) => (own.has(inode) ? [Number.parseInt(port, 16)] : []),
  );
}
const LISTENING = / 0100657F:([0-9A-F]{4}) \S+ 0A(?: +\S+){5} +(\d+)/g;

/** The inodes of a process's sockets; none if it ended meanwhile. */
const inodesOf = (pid: number): string[] => {
  try {
    return [...socketsOf(pid)];
  } catch {
    return [];
  }
};

test('answers nobody else, as a trial lets in whoever claims an address', async () => {
  const secret = 'http://app.example {\nrespond "only for some"\n}\n';
  await publish(secret);
  logged(Array.from({ length: 3_000 }, (_, at) => ({ uri: `/${at}`, tls: false })));
  const running = replay(secret, { hosts: ['app.example'] });
  const [port = 0] = await until(() => {
    const found = trialPorts();
    return found.length > 0 ? found : undefined;
  });
  const heard = await heardFrom(port);
  expect(await running).toMatchObject({ state: 'done', same: 1_000, differ: 0 });
  expect(heard).toBe('');
});

/** All that a stranger is told who asks a trial. */
function heardFrom(port: number): Promise<string> {
  const proxy = knowsAddresses ? 'PROXY TCP4 192.168.1.9 127.0.0.1 1 80\r\n' : '';
  const { promise, resolve } = Promise.withResolvers<string>();
  let heard = '';
  const socket = connect({ host: '127.101.0.1', port });
  socket.on('connect', () => socket.write(`${proxy}GET / HTTP/1.1\r\nHost: app.example\r\n\r\n`));
  socket.on('data', (bytes) => {
    heard += bytes.toString();
  });
  socket.on('error', () => {});
  socket.once('close', () => resolve(heard));
  return promise;
}

describe('a replay finds', () => {
  test('nothing if nothing changes, and nobody notices', async () => {
    const log = readFileSync(agent.env.ACCESS_LOG ?? '', 'utf8');
    const before = { ...asked };
    const state = await replay(`# The same.\n${live()}`);
    expect(state).toMatchObject({ state: 'done', done: 5, of: 5, same: 5, differ: 0, groups: [] });
    expect(asked).toEqual(before);
    expect(readFileSync(agent.env.ACCESS_LOG ?? '', 'utf8')).toBe(log);
    expect(left()).toEqual([]);
  });

  test('who would be asked instead, with how often they came', async () => {
    const state = await replay(site(proxied(two)));
    expect(state).toMatchObject({ done: 5, same: 2, differ: 3 });
    expect(groupsOf(state)).toEqual([{ requests: 3, count: 5, was: toOne, is: toTwo }]);
    const [group] = state.groups;
    expect(group).toMatchObject({ domain: 'app.example', visitors: 2 });
    expect(group?.examples.map(({ path }) => path).toSorted()).toEqual(['/a', '/b', '/c']);
    expect(JSON.stringify(state)).not.toContain('secret');
  });

  test('only what concerns the hosts', async () => {
    const state = await replay(site(proxied(two)), { hosts: ['nobody.example'] });
    expect(state).toMatchObject({ done: 1, same: 1, differ: 0 });
  });

  test('a redirect, without the query of the request', async () => {
    const state = await replay(site(`redir /b* https://x.example{uri}\n${proxied(one)}`));
    expect(groupsOf(state)).toEqual([
      { requests: 1, count: 1, was: toOne, is: [302, null, 'https://x.example/b'] },
    ]);
  });

  test('a redirect that names a part of the query, without that part', async () => {
    const state = await replay(
      site(`redir /b* https://x.example/{query.token}?t={query.token}\n${proxied(one)}`),
    );
    expect(groupsOf(state)[0]?.is).toEqual([302, null, 'https://x.example/…']);
    expect(JSON.stringify(state)).not.toContain('secret');
  });

  test('requests with a method that few programs know', async () => {
    writeFileSync(agent.env.ACCESS_LOG ?? '', '');
    logged([{ method: 'FOO' }]);
    expect(groupsOf(await replay(site(proxied(two))))).toEqual([
      { requests: 1, count: 1, was: toOne, is: toTwo },
    ]);
  });

  test.skipIf(!knowsAddresses)('what routes for errors and named routes decide', async () => {
    const [within, out] = ['192.168.0.0/16', '10.0.0.0/8'];
    const rules = (range: string) => `@in remote_ip ${range}\nrespond @in in 200\nrespond out 403`;
    const bot = (name: string) => `@bot header User-Agent ${name}\nrespond @bot 429`;
    const texts = [
      (range: string) => site(`error 500\nhandle_errors {\n${rules(range)}\n}`),
      (range: string) => `&(named) {\n${rules(range)}\n}\n${site('invoke named')}`,
    ];
    for (const text of texts) {
      await publish(text(within));
      const state = await replay(text(out), { hosts: ['app.example'] });
      expect(groupsOf(state)).toEqual([
        { requests: 2, count: 2, was: [200, null, null], is: [403, null, null] },
      ]);
    }
    logged([{ uri: '/', headers: { 'User-Agent': ['bot'] } }]);
    await publish(site('error 500'));
    const state = await replay(site(`error 500\nhandle_errors {\n${bot('bot')}\n}`));
    expect(state.groups).toMatchObject([{ requests: 1, after: { status: 429 } }]);
  });

  test('a site that is no longer there, of which Caddy has no certificate', async () => {
    const state = await replay(site(proxied(one), 'other.example'));
    const [gone] = groupsOf(state);
    expect(gone).toEqual({ requests: 3, count: 5, was: toOne, is: [null, null, null] });
  });

  test('one over plain HTTP that answers by itself, as nothing but its body tells that it is gone', async () => {
    const plain = (name: string) => `http://${name} {\nrespond "hello"\n}\n`;
    await publish(plain('app.example') + plain('b.example'));
    const state = await replay(plain('b.example'));
    expect(state).toMatchObject({ differ: 1 });
    expect(state.groups[0]).toMatchObject({
      domain: 'app.example',
      before: { status: 200, to: null },
      after: { status: 200, to: null, noSite: true },
    });
  });

  test('one that redirects to HTTPS no more', async () => {
    const state = await replay(`http://app.example {\n${proxied(one)}\n}\n${live()}`);
    const location = 'https://app.example/a';
    expect(groupsOf(state)).toEqual([
      { requests: 1, count: 1, was: [308, null, location], is: toOne },
    ]);
  });

  test('who would have to sign in, and what an upstream is told of who has', async () => {
    const service = `forward_auth 127.0.0.1:${auth.port} {
      uri /check
      copy_headers Remote-User
    }`;
    const state = await replay(site(`${service}\n${proxied(one)}`), { signedIn: true });
    const [out, within] = state.groups;
    expect(out?.after).toMatchObject({ status: 401, to: `127.0.0.1:${auth.port}` });
    expect(within).toMatchObject({ signedIn: true, count: 5 });
    expect(within?.before.user).toBeUndefined();
    expect(within?.after.user).toContain('remote-user');
    expect(state.differ).toBe(3);
    expect(asked.auth).toBe(0);
  });

  test('who would have to give a password', async () => {
    const hash = '$2a$04$KzWZ2i0VbUZ3uHhXqJrAFu2cC8qkCkTj5aTfmW0FZ8s0uVnQ5m6ZK';
    const state = await replay(site(`basicauth {\nbob ${hash}\n}\n${proxied(one)}`));
    expect(state.groups[0]).toMatchObject({ count: 5, after: { status: 401, to: null } });
    expect(state.groups[0]?.after.authenticate).toContain('Basic');
  });

  test('the path that an upstream gets, if that changes', async () => {
    const state = await replay(site(`uri /a* strip_prefix /a\n${proxied(one)}`));
    expect(state).toMatchObject({ differ: 1 });
    expect(state.groups[0]).toMatchObject({ before: { path: '/a' }, after: { path: '/' } });
  });
});

describe('a replay leaves out, by name,', () => {
  const reasons = ({ leftOut }: ReplayState) =>
    leftOut.filter(({ reason }) => !reason.includes('bodies'));

  test.skipIf(knowsAddresses)('rules about addresses, if Caddy cannot be told them', async () => {
    const rule = '@in {\nremote_ip 192.168.0.0/16\npath /b*\n}';
    const state = await replay(site(`${rule}\nabort @in\n${proxied(one)}`));
    expect(state).toMatchObject({ done: 4, of: 4, same: 4 });
    expect(reasons(state)).toEqual([
      {
        reason:
          'Rules about addresses cannot be tried with Caddy before 2.7: remote_ip 192.168.0.0/16 of app.example',
        count: 1,
      },
    ]);
  });

  test('handlers that a trial cannot play', async () => {
    const state = await replay(site(`templates /a*\n${proxied(one)}`));
    expect(reasons(state)).toEqual([
      { reason: 'The handler templates of app.example cannot be tried', count: 3 },
    ]);
    expect(state).toMatchObject({ done: 4, of: 4, differ: 0 });
  });

  const left = async (before: string, after: string, request: Partial<Logged> = {}) => {
    await publish(before);
    writeFileSync(agent.env.ACCESS_LOG ?? '', '');
    logged([request]);
    const state = await replay(after);
    expect(state.of).toBe(0);
    return reasons(state).map(({ reason }) => reason);
  };

  test('a password that somebody gave', async () => {
    const hash = '$2a$04$KzWZ2i0VbUZ3uHhXqJrAFu2cC8qkCkTj5aTfmW0FZ8s0uVnQ5m6ZK';
    const text = (server: typeof one) => site(`basicauth {\nbob ${hash}\n}\n${proxied(server)}`);
    const headers = { Authorization: ['REDACTED'] };
    expect(await left(text(one), text(two), { headers })).toEqual([
      'The site goes by a cookie or a password, which the log does not hold',
    ]);
  });

  test('matchers for the protocol or the server name', async () => {
    const matchers = [
      ['protocol', 'protocol http/2'],
      ['protocol', 'not protocol http/3'],
      ['expression', "expression `protocol('http/2')`"],
      ['vars', 'vars {http.request.tls.server_name} app.example'],
    ];
    for (const [name, matcher] of matchers) {
      const text = site(`@some ${matcher}\nrespond @some 403\n${proxied(one)}`);
      expect(await left(text, live())).toEqual([
        `The matcher ${name} of app.example cannot be tried`,
      ]);
    }
  });

  test('a header by which one tells what happened', async () => {
    const gone = 'The header names with * that app.example removes cannot be tried';
    const texts = [
      (server: typeof one) => site(`header -S*\n${proxied(server)}`),
      (server: typeof one) => site(`${proxied(server)} {\nheader_down -S*\n}`),
    ];
    for (const text of texts) expect(await left(text(one), text(two))).toEqual([gone]);
  });

  test('headers that say how long a body is, or are too long', async () => {
    for (const [name, value] of [
      ['Content-Length', '5'],
      ['Transfer-Encoding', 'chunked'],
      ['User-Agent', 'x'.repeat(10_000)],
    ] as const) {
      const text = site(`@some header ${name} *\nrespond @some 403\n${proxied(one)}`);
      expect(await left(live(), text, { headers: { [name]: [value] } })).toEqual([
        'A header that the site goes by cannot be sent again',
      ]);
    }
  });

  test('a site on a Unix socket', async () => {
    const socket = join(agent.folder, 'site.sock');
    const text = (server: typeof one) =>
      `http://app.example {\nbind unix/${socket}\n${proxied(server)}\n}\n`;
    expect(await left(text(one), text(two), { tls: false })).toEqual([
      'The site listens on no TCP port',
    ]);
  });

  test('requests with a cookie, if a site goes by it', async () => {
    logged([{ uri: '/d', headers: { Cookie: ['REDACTED'] } }]);
    const config = `@old header Cookie *old*\nrespond @old 410\n${proxied(one)}`;
    const state = await replay(site(config));
    expect(reasons(state)).toEqual([
      { reason: 'The site goes by a cookie or a password, which the log does not hold', count: 1 },
    ]);
    expect(state.differ).toBe(0);
  });
});

test('reads no more of a response than it needs', async () => {
  const long = 'x'.repeat(1_000_000);
  const state = await replay(site(`respond "${long}"`));
  expect(state.groups[0]).toMatchObject({ count: 5, after: { status: 200, to: null } });
});

test('knows for which names Caddy has a certificate, on any port', async () => {
  const text = `https://app.example:${freePort()} {\ntls internal\nrespond 204\n}\n`;
  const other = site(proxied(two), 'other.example');
  const [moved] = groupsOf(await replay(text + other));
  expect(moved).toMatchObject({ requests: 3, is: [200, null, null] });
  const [gone] = groupsOf(await replay(`https:// {\ntls internal\nrespond 204\n}\n${other}`));
  expect(gone).toMatchObject({ requests: 3, is: [null, null, null] });
});

test('keeps sites on different ports apart', async () => {
  const other = freePort();
  logged([{ uri: '/p', host: `app.example:${other}` }]);
  const text = `https://app.example:${other} {\ntls internal\nrespond 204\n}\n`;
  await publish(live() + text);
  const state = await replay(site(proxied(two)) + text);
  expect(groupsOf(state)).toEqual([{ requests: 3, count: 5, was: toOne, is: toTwo }]);
});
