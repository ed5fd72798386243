// proof: agent
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCaddies } from '../../../../../agent/caddy/process/processes.ts';
import type { Check, ChecksAnswer } from '../../../../../src/shared/wire/checks.ts';
import { caddyIs } from '../../../../harness/caddys.ts';
import { forFile } from '../../../../harness/for-file.ts';
import { type Program, runProgram } from '../../../../harness/program.ts';
import { startRefusingAcme } from '../../../../harness/refusing-acme.ts';
import { limit } from '../../../../harness/speed.ts';
import {
  ask,
  freePort,
  portSettings,
  startStack,
  temporaryFolder,
  until,
} from '../../../../harness/stack.ts';

type Asked = { name: string; port: number; check: Check | null };
type Refusal = { code: string; message: string; detail?: string; line?: number };

const acme = startRefusingAcme();
/** What the upstream was asked for. */
const paths = new Set<string>();
const upstream = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch({ url, headers }) {
    const { pathname } = new URL(url);
    paths.add(pathname);
    return pathname === '/hang'
      ? new Promise<Response>(() => {})
      : new Response(`${headers.get('host')} ${headers.get('x-forwarded-proto')}`);
  },
});
const folderOf = (dataDir: string) => join(dataDir, 'caddy', 'trial-1');

const trial = <T = ChecksAnswer>(
  proxyfile: string,
  checks: Asked[],
  headers = stack.agentHeaders,
) => ask<T>(`${stack.agent}/proxy/trial`, { json: { proxyfile, checks }, headers });
const tried = async (proxyfile: string, name: string, port: number, check: Check | null = null) => {
  const { status, body, text } = await trial(proxyfile, [{ name, port, check }]);
  if (status !== 200) throw new Error(text);
  return body.answers[0];
};

/** What a trial must leave as it is. */
async function everything() {
  const headers = stack.agentHeaders;
  const status = await ask<{ liveDigest: string }>(`${stack.agent}/proxy/status`, { headers });
  return {
    live: status.body.liveDigest,
    served: (await stack.served('live.example')).text,
    proxyfile: stack.readProxyfile(),
    data: readdirSync(join(stack.dataDir, 'caddy', 'data'), { recursive: true }).sort(),
    folder: existsSync(folderOf(stack.dataDir)),
    caddies: findCaddies(folderOf(stack.dataDir), 'caddy'),
  };
}

const stack = await forFile(startStack());
const proxyfile = `http://live.example:${stack.httpPort} {\n\trespond live\n}\n`;
const json = { proxyfile };
await ask(`${stack.agent}/proxy/reload`, { json, headers: stack.agentHeaders });
if (caddyIs('>=2.8.0')) {
  // After the first load, Caddy cleans its storage, and notes when.
  const storage = join(stack.dataDir, 'caddy/data/caddy');
  const isClean = () =>
    existsSync(join(storage, 'last_clean.json')) &&
    !existsSync(join(storage, 'locks/storage_clean.lock'));
  await until(isClean, 'a clean storage');
}
afterAll(() => Promise.all([upstream.stop(true), acme.stop()]));

describe('a trial is refused', () => {
  const site = 'http://a.example {\n\trespond a\n}\n';

  test.each<[string, string, string]>([
    ['a mistake', 'http://a.example {\n\trespnd a\n}\n', 'unrecognized directive: respnd'],
    ['an admin endpoint', `{\n\tadmin off\n}\n${site}`, 'admin'],
    ['a storage', `{\n\tstorage file_system /tmp\n}\n${site}`, 'storage'],
    ['a file', 'http://a.example {\n\timport /etc/passwd\n}\n', '`import` of files is not allowed'],
    [
      'what does not start',
      'http://a.example {\n\t@x path_regexp (\n\trespond @x a\n}\n',
      'missing',
    ],
  ])('with %s, as a reload would be', async (_, proxyfile, detail) => {
    const before = await everything();
    const answer = await trial<Refusal>(proxyfile, [{ name: 'a.example', port: 80, check: null }]);
    expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(answer.body.detail).toContain(detail);
    expect(answer.text).not.toContain(stack.folder);
    expect(await everything()).toEqual(before);
  });

  test('if its body lacks something', async () => {
    for (const json of [{}, { proxyfile: site }, { proxyfile: site, checks: [{ name: 'a' }] }]) {
      const answer = await ask<Refusal>(`${stack.agent}/proxy/trial`, {
        json,
        headers: stack.agentHeaders,
      });
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
    }
  });
});

describe('a trial', () => {
  test('asks no authority, opens no other port, writes no log and stores nothing', async () => {
    const before = await everything();
    const log = join(stack.folder, 'site.log');
    const text = `{
      acme_ca ${acme.directory}
      http_port ${freePort()}
    }
    a.example, *.example.org {
      log {
        output file ${log}
      }
      tls {
        on_demand
      }
      reverse_proxy 127.0.0.1:${upstream.port}
    }`;
    const [open] = /(?<=http_port )\d+/.exec(text) ?? [];
    const during = trial(text, [
      { name: 'a.example', port: 443, check: { path: '/', contains: 'a.example https' } },
      { name: '*.example.org', port: 443, check: null },
      { name: 'a.example', port: 443, check: { path: '/hang', within: 0.5 } },
    ]);
    const running = await until(() => findCaddies(folderOf(stack.dataDir), 'caddy')[0], 'a trial');
    const sockets = () => readFileSync(`/proc/${running.pid}/net/tcp6`, 'utf8').toLowerCase();
    expect(sockets()).not.toContain(`:${Number(open).toString(16).padStart(4, '0')} `);
    const { answers } = (await during).body;
    expect(answers.map(({ passed, status }) => [passed, status])).toEqual([
      [true, 200],
      [true, 200],
      [false, null],
    ]);
    expect(acme.orders).toEqual([]);
    expect(existsSync(log)).toBe(false);
    expect(readFileSync(stack.accessLog, 'utf8')).not.toContain('a.example');
    expect(await everything()).toEqual(before);
  });

  // Bound to an address that this machine does not have.
  test.each<[string, string, string, number, string]>([
    ['HTTP', 'http://a.example', 'a.example', 80, 'http a.example a.example'],
    ['another port', 'http://a.example:8081', 'a.example', 8081, 'http a.example a.example:8081'],
    ['a wildcard', 'http://*.example', '*.example', 80, 'http signalbox-state.example'],
    ['any host', ':8082', '', 8082, 'http localhost localhost:8082'],
    ['HTTPS', 'a.example', 'a.example', 443, 'https a.example a.example'],
    ['another port of HTTPS', 'https://a.example:8443', 'a.example', 8443, 'https a.example a.exa'],
    ['an address', '192.0.2.1', '192.0.2.1', 443, 'https 192.0.2.1 192.0.2.1'],
    ['an address of IPv6', 'https://[2001:db8::1]', '2001:db8::1', 443, 'https [2001:db8::1]'],
  ])('of %s', async (_, address, name, port, contains) => {
    const text = `${address} {\n\tbind 192.0.2.9\n\trespond "{scheme} {host} {hostport}"\n}\n`;
    const check = { path: '/', contains };
    expect(await tried(text, name, port, check)).toMatchObject({ passed: true, status: 200 });
  });

  test('leaves the upstreams of other sites alone', async () => {
    const to = `reverse_proxy 127.0.0.1:${upstream.port}`;
    const checked = (name: string) =>
      `http://${name}.example {\n\t${to} {\n\t\thealth_uri /health-of-${name}\n\t}\n}\n`;
    paths.clear();
    const check = { path: '/hang', within: limit(500) / 1_000 };
    await tried(checked('a') + checked('b'), 'a.example', 80, check);
    expect([...paths]).toContain('/health-of-a');
    expect([...paths]).not.toContain('/health-of-b');
  });

  test('sees the variables of the proxy', async () => {
    const text = 'a.example {\n\trespond "at {$PATH} {env.HOME} {env.AGENT_TOKEN}."\n}';
    const contains = `${process.env.PATH} ${join(stack.dataDir, 'caddy')} .`;
    expect(await tried(text, 'a.example', 443, { path: '/', contains })).toMatchObject({
      passed: true,
    });
  });

  test('does not read certificates, nor shows its own storage', async () => {
    const [cert, key] = [join(stack.folder, 'a.pem'), join(stack.folder, 'a.key')];
    writeFileSync(cert, 'not a certificate');
    writeFileSync(key, 'not a key');
    const text = `a.example {\n\ttls ${cert} ${key}\n\tfile_server browse\n}`;
    const paths = [
      { path: '/' },
      { path: '/caddy/', status: 404 },
      { path: '/pki/', status: 404 },
      { path: '/data/', status: 404 },
    ];
    const checks = paths.map((check) => ({ name: 'a.example', port: 443, check }));
    const { answers } = (await trial(text, checks)).body;
    expect(answers.map(({ passed }) => passed)).toEqual(paths.map(() => true));
  });

  test('ends when nobody waits for it any more', async () => {
    const leaving = new AbortController();
    const proxyfile = `http://a.example {\n\treverse_proxy 127.0.0.1:${upstream.port}\n}\n`;
    const checks = [{ name: 'a.example', port: 80, check: { path: '/hang', within: 15 } }];
    const pending = fetch(`${stack.agent}/proxy/trial`, {
      method: 'POST',
      body: JSON.stringify({ proxyfile, checks }),
      headers: stack.agentHeaders,
      signal: leaving.signal,
    });
    const caddies = () => findCaddies(folderOf(stack.dataDir), 'caddy');
    await until(() => caddies().length === 1, 'a trial');
    leaving.abort();
    await pending.catch(() => undefined);
    await until(() => caddies().length === 0, 'its end', 5_000);
    await until(() => !existsSync(folderOf(stack.dataDir)), 'an end of its folder', 5_000);
  });
});

describe('the trial of a change', () => {
  const ofChange = async (proxyfile: string, checks: Asked[]) => {
    const json = { proxyfile, checks, change: true };
    const { agent, agentHeaders: headers } = stack;
    const { status, body, text } = await ask<ChecksAnswer>(`${agent}/proxy/trial`, {
      json,
      headers,
    });
    if (status !== 200) throw new Error(text);
    return body.answers;
  };
  const check = { path: '/', within: limit(200) / 1_000 };
  const port = freePort();

  test.each<[string, string, Asked, string | null]>([
    [
      'none of an upstream that does not answer',
      'http://a.example {\n\treverse_proxy 127.0.0.1:1\n}',
      { name: 'a.example', port: 80, check },
      null,
    ],
    [
      'none of a name that Caddy would not serve',
      'http://a.example {\n\trespond a\n}',
      { name: 'b.example', port: 80, check },
      null,
    ],
    [
      'of a site in front of another one',
      `http://a.example {\n\treverse_proxy localhost:${port}\n}\n:${port} {\n\trespond b\n}`,
      { name: 'a.example', port: 80, check },
      `localhost:${port} is a listener of another site, which a trial does not open`,
    ],
    [
      'of a site in front of a socket of another one',
      'http://a.example {\n\treverse_proxy unix//tmp/b.sock\n}\nhttp://b.example {\n\tbind unix//tmp/b.sock\n\trespond b\n}',
      { name: 'a.example', port: 80, check },
      'unix//tmp/b.sock is a listener of another site, which a trial does not open',
    ],
    [
      'none of an upstream on another machine with the same port',
      `http://a.example {\n\treverse_proxy 192.0.2.1:${port}\n}\n:${port} {\n\trespond b\n}`,
      { name: 'a.example', port: 80, check },
      null,
    ],
    [
      'of a site on one address',
      'http://a.example {\n\tbind 192.0.2.9\n\trespond 503\n}',
      { name: 'a.example', port: 80, check },
      'A trial does not listen on 192.0.2.9',
    ],
  ])('has a doubt: %s', async (_, proxyfile, asked, doubt) => {
    const [answer] = await ofChange(proxyfile, [asked]);
    expect(answer).toMatchObject({ passed: false, doubt });
  });

  test('has no doubt of what passed, and says how long that took', async () => {
    const [answer] = await ofChange('http://a.example {\n\trespond a\n}', [
      { name: 'a.example', port: 80, check: { path: '/' } },
    ]);
    expect(answer).toEqual({
      passed: true,
      status: 200,
      reason: 'GET / answered 200',
      took: expect.any(Number),
    });
  });

  test('waits for its turn, and leaves nothing behind', async () => {
    const text = 'http://a.example {\n\trespond a\n}\n';
    const passing = { path: '/' };
    const asked = [{ name: 'a.example', port: 80, check: passing }];
    const previews = Array.from({ length: 4 }, () => tried(text, 'a.example', 80, passing));
    const all = await Promise.all(Array.from({ length: 8 }, () => ofChange(text, asked)));
    const answers = [...all.flat(), ...(await Promise.all(previews))];
    expect(answers.map((answer) => answer?.passed)).toEqual(answers.map(() => true));
    const left = readdirSync(join(stack.dataDir, 'caddy')).filter((name) => /trial/.test(name));
    expect(left).toEqual([]);
  });
});

describe('a trial that runs', () => {
  const folder = temporaryFolder();
  const env = { DATA_DIR: join(folder, 'data'), ...portSettings() };
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const caddies = () => findCaddies(folderOf(env.DATA_DIR), 'caddy');

  /** Starts the program, and a trial that would take long. */
  async function startTrial(): Promise<Program> {
    const program = runProgram([], env, folder);
    const agent = await program.address('agent');
    const token = readFileSync(join(env.DATA_DIR, 'agent-token'), 'utf8').trim();
    const proxyfile = `http://a.example {\n\treverse_proxy 127.0.0.1:${upstream.port}\n}\n`;
    const checks = [{ name: 'a.example', port: 80, check: { path: '/hang', within: 15 } }];
    const headers = { Authorization: `Bearer ${token}` };
    void ask(`${agent}/proxy/trial`, { json: { proxyfile, checks }, headers }).catch(() => {});
    await until(() => caddies().length === 1, 'a trial');
    return program;
  }

  test('ends with its agent', async () => {
    const program = await startTrial();
    program.child.kill('SIGTERM');
    expect((await program.exited()).code).toBe(0);
    expect([caddies(), existsSync(folderOf(env.DATA_DIR))]).toEqual([[], false]);
  });

  test('is ended by the next agent, if its own was killed', async () => {
    const killed = await startTrial();
    killed.child.kill('SIGKILL');
    await killed.exited();
    const next = runProgram([], env, folder);
    await next.address('hub');
    await until(() => caddies().length === 0, 'its end');
    await until(() => !existsSync(folderOf(env.DATA_DIR)), 'the end of its folder');
    next.child.kill('SIGTERM');
    expect((await next.exited()).code).toBe(0);
  });
});
