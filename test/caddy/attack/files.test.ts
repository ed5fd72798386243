// proof: attack
/**
 * What an editor's site can read and write: nothing of hub and agent, whether Caddy has a user of its
 * own (started as root) or shares theirs. Needs root, to change users.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Program, runProgram } from '../../harness/program.ts';
import { ask, portSettings, signUp, until } from '../../harness/stack.ts';
import { asUser, isRoot, NOBODY, openFolder } from '../../harness/unprivileged.ts';

const CANARY = 'canary-in-the-environment';

type Target = { data: string; folder: string; pid: number };
/** A site's config, and what is requested of it. */
type Attack = [name: string, config: (of: Target) => string, path: (of: Target) => string];
const TOP = () => '/';
const TOKEN = () => '/agent-token';
const IMPORT = () => '/api/import';

const READS: Attack[] = [
  ['the data folder as root', ({ data }) => `root * ${data}\nfile_server`, TOKEN],
  ['the database', ({ data }) => `root * ${data}\nfile_server`, () => '/signalbox.db'],
  ['a folder around it', () => 'root * /\nfile_server', ({ data }) => `${data}/agent-token`],
  ['a link to it', ({ folder }) => `root * ${folder}/link\nfile_server`, TOKEN],
  ['file_server with its own root', ({ data }) => `file_server {\nroot ${data}\n}`, TOKEN],
  ['a root with dots', ({ data }) => `root * ${data}/x/..\nfile_server`, TOKEN],
  ['a relative root', () => 'root * ../..\nfile_server', TOKEN],
  [
    'a root from the request',
    () => 'root * {query.r}\nfile_server',
    ({ data }) => `/agent-token?r=${data}`,
  ],
  [
    'vars from the request',
    () => 'vars {query.n} {query.r}\nfile_server',
    ({ data }) => `/agent-token?n=root&r=${data}`,
  ],
  ['its own folder', () => 'file_server browse', TOP],
  ['the environment of the hub', ({ pid }) => `root * /proc/${pid}\nfile_server`, () => '/environ'],
  [
    'a process through a link',
    ({ pid }) => `root * /proc/${pid}/root\nfile_server`,
    ({ data }) => `${data}/agent-token`,
  ],
  [
    'a listing’s template',
    ({ data, folder }) => `root * ${folder}/link\nfile_server {\nbrowse ${data}/agent-token\n}`,
    TOP,
  ],
  [
    'templates',
    ({ data }) =>
      `header Content-Type text/html\ntemplates {\nroot ${data}\n}\nrespond \`{{readFile "agent-token"}}{{include "agent-token"}}\``,
    TOP,
  ],
  [
    'templates with a placeholder',
    ({ data }) =>
      `header Content-Type text/html\ntemplates\nrespond \`{{placeholder (printf "%s%s" "file." "${data}/agent-token")}}\``,
    TOP,
  ],
  ['a placeholder', ({ data }) => `respond {file.${data}/agent-token}`, TOP],
  ['try_files', ({ data }) => `root * ${data}\ntry_files /agent-token\nfile_server`, TOP],
  [
    'a socket from the request',
    () => 'reverse_proxy {query.u} {\nmethod POST\n}',
    ({ data }) => `/api/import?u=unix/${data}/hub.sock`,
  ],
  ['the hub’s socket', ({ data }) => `reverse_proxy unix/${data}/hub.sock`, IMPORT],
  [
    'the hub’s socket behind a space',
    ({ data }) => `reverse_proxy " unix/${data}/hub.sock"`,
    IMPORT,
  ],
  [
    'a socket in parts',
    ({ data }) => `vars a un\nreverse_proxy {vars.a}ix/${data}/hub.sock`,
    IMPORT,
  ],
];

/** Refused also if Caddy has a user of its own, which can read its keys. */
const NEVER: Attack[] = [
  [
    'an expression with a placeholder of any name',
    () =>
      "@f expression `ph(req, 'file.' + ph(req, 'http.request.uri.query.f')).startsWith('a')`\nrespond @f yes",
    ({ data }) => `/?f=${data}/agent-token`,
  ],
  [
    'an expression that looks for files',
    ({ data }) =>
      `@f expression \`file({'root': '${data}', 'try_files': ['agent-*']})\`\nrespond @f {http.matchers.file.absolute}`,
    TOP,
  ],
  [
    'an expression that reads what a visitor sends',
    () => '@f expression `path({http.request.uri.query.p})`\nrespond @f yes',
    ({ data }) => `/x?p=/{file.${data}/agent-token}`,
  ],
  [
    'an expression with an escape',
    ({ data }) =>
      `@f expression \`header({'X': '\\x7bfile.${data}/caddy/run/caddy.pid}'})\`\nrespond @f yes`,
    TOP,
  ],
  [
    'a placeholder with an escaped brace',
    ({ data, folder }) => `respond "{file.${folder}/q\\}/../..${data}/agent-token}"`,
    TOP,
  ],
  [
    'a placeholder with more braces',
    ({ data }) => `@f vars {}file.${data}/caddy/run/caddy.pid} 1\nrespond @f yes`,
    TOP,
  ],
];

/** No rule refuses these: an empty folder, and what Caddy itself refuses. */
const HARMLESS = ['its own folder', 'templates with a placeholder'];

const domainOf = (name: string) => `${name.replace(/[^a-z]+/gi, '-')}.example`.toLowerCase();

const WRITES: Attack[] = [
  ['a log', ({ data }) => `respond x\nlog {\noutput file ${data}/.env\n}`, TOP],
  [
    'a log that is opened at once',
    ({ data }) => `respond x\nlog {\noutput file ${data}/.env {\nroll_disabled\n}\n}`,
    TOP,
  ],
  [
    'a log through a link',
    ({ folder }) => `respond x\nlog {\noutput file ${folder}/link/.env\n}`,
    TOP,
  ],
  ['a relative log', () => 'respond x\nlog {\noutput file ../../.env\n}', TOP],
  [
    'a socket in place of the database',
    ({ data }) => `bind unix/${data}/signalbox.db\nrespond x`,
    TOP,
  ],
  ['a certificate', ({ data }) => `tls ${data}/agent-token ${data}/agent-token\nrespond x`, TOP],
];

describe.skipIf(!isRoot).each([
  ['a Caddy with a user of its own', 0],
  ['a Caddy that shares the user', NOBODY],
])('%s', (_mode, uid) => {
  const { folder, home } = openFolder(uid);
  const data = join(home, 'data');
  const ports = portSettings();
  let program: Program;
  let hub: string;
  let owner: { token: string; headers: Record<string, string> };
  let target: Target;
  let secrets: string[];

  const start = async () => {
    const env = { ...ports, DATA_DIR: data, HUB_TEST_CANARY: CANARY };
    program = runProgram([], env, home, uid === 0 ? {} : { prefix: asUser(uid) });
    hub = `${await program.address('hub')}/api`;
  };
  const change = (config: string, domain: string) =>
    ask<{ id: number; code?: string; detail?: string }>(`${hub}/vhosts`, {
      json: { domain: `http://${domain}`, config },
      headers: owner.headers,
    });

  /** Null if nothing listens there. */
  const visit = (domain: string, path = '/') =>
    ask(`http://127.0.0.1:${ports.PROXY_HTTP_PORT}${path}`, { headers: { Host: domain } }).catch(
      () => null,
    );

  beforeAll(async () => {
    await start();
    owner = await signUp({ hub });
    symlinkSync(data, join(folder, 'link'));
    target = { data, folder, pid: program.child.pid };
    const token = readFileSync(join(data, 'agent-token'), 'utf8').trim();
    // A socket that answers INVALID_… has let the request in.
    secrets = [token, CANARY, 'SQLite format', 'agent-token', 'INVALID_'];
  });
  afterAll(async () => {
    program.child.kill('SIGTERM');
    await program.exited();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is what this test is about', async () => {
    const status = await ask<{ warnings: string[] }>(`${hub}/status`, owner);
    expect(status.body.warnings).toEqual([]);
    const caddy = caddyOf(data);
    if (uid === 0) expect(caddy).not.toBe(0);
    else expect(caddy).toBe(uid);
  });

  test('serves and logs to folders that are meant for it', async () => {
    const www = join(folder, 'www');
    mkdirSync(www);
    mkdirSync(join(folder, 'log'));
    chmodSync(join(folder, 'log'), 0o777);
    writeFileSync(join(www, 'a.txt'), 'public');
    const log = join(folder, 'log/a.log');
    const made = await change(
      `root * ${www}\nfile_server\nlog {\noutput file ${log}\n}`,
      'public.example',
    );
    expect(made.status).toBe(201);
    expect((await visit('public.example', '/a.txt'))?.text).toBe('public');
    await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('/a.txt'));
    const logs = () => ask<{ total: number }>(`${hub}/logs?domain=public.example`, owner);
    await until(async () => (await logs()).body.total === 1);
  });

  // Where nothing is refused, they go live together: each publish takes longer than the visit.
  test.skipIf(uid !== 0)('may have sites that read what they like', async () => {
    const operations = READS.map(([name, config]) => ({
      op: 'create',
      domain: `http://${domainOf(name)}`,
      config: config(target),
    }));
    const json = { operations };
    const made = await ask(`${hub}/vhosts/bulk`, { json, headers: owner.headers });
    expect([made.status, made.text]).toEqual([200, expect.any(String)]);
  });

  test.each(READS)('does not give out files through %s', async (name, config, path) => {
    const domain = domainOf(name);
    if (uid !== 0) {
      const made = await change(config(target), domain);
      if (!HARMLESS.includes(name)) {
        expect([made.status, made.body.code]).toEqual([502, 'PROXY_REJECTED']);
        expect(made.text).not.toContain(data);
      }
    }
    const answer = await visit(domain, path(target));
    const said = answer === null ? '' : answer.text + JSON.stringify(answer.headers);
    for (const secret of secrets) expect(said.replaceAll(/\{[^}]*\}/g, '')).not.toContain(secret);
  });

  test.each(NEVER)('does not accept %s', async (name, config) => {
    const made = await change(config(target), domainOf(name));
    expect([made.status, made.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(made.text).not.toContain(data);
  });

  test('does not write the secrets of connections, nor says which files are there', async () => {
    const answers = [];
    for (const lines of [
      `insecure_secrets_log ${data}/agent-token`,
      `insecure_secrets_log ${folder}/keys.log`,
      `client_auth {\nmode request\ntrusted_leaf_cert_file ${data}/agent-token\n}`,
      `client_auth {\nmode request\ntrusted_leaf_cert_file ${data}/none\n}`,
    ]) {
      const json = { domain: 'https://tls.example', config: `tls internal {\n${lines}\n}` };
      const made = await ask<{ code: string }>(`${hub}/vhosts`, { json, headers: owner.headers });
      const check = { path: '/', status: 299, within: 1 };
      const tried = { op: 'create', ...json, check };
      await ask(`${hub}/preview?try=true`, { json: tried, headers: owner.headers });
      expect([made.status, made.body.code]).toEqual([502, 'PROXY_REJECTED']);
      answers.push(made.text.replace(/"(requestId|instance)":"[^"]*"/g, ''));
    }
    expect(answers[2]).toBe(answers[3] ?? '');
    expect(existsSync(join(folder, 'keys.log'))).toBe(false);
  });

  test.each(WRITES)('does not write with %s', async (name, config) => {
    const inode = statSync(join(data, 'signalbox.db')).ino;
    const domain = domainOf(name);
    const made = await change(config(target), domain);
    if (uid !== 0) {
      expect([made.status, made.body.code]).toEqual([502, 'PROXY_REJECTED']);
      expect(made.text).not.toContain(data);
    }
    await visit(domain);
    if (existsSync(join(data, '.env'))) {
      expect(readFileSync(join(data, '.env'), 'utf8')).toBe('');
    }
    expect(lstatSync(join(data, 'signalbox.db')).isFile()).toBe(true);
    expect(statSync(join(data, 'signalbox.db')).ino).toBe(inode);
    expect(existsSync(join(data, 'caddy/.env'))).toBe(false);
  });

  test('still has the hub and its changes, and no open sign-up after a restart', async () => {
    program.child.kill('SIGTERM');
    expect((await program.exited()).code).toBe(0);
    await start();
    const vhosts = await ask<unknown[]>(`${hub}/vhosts`, owner);
    expect(vhosts.status).toBe(200);
    const second = await ask<{ code: string }>(`${hub}/auth/sign-up/email`, {
      json: { name: 'Eve', email: 'eve@example.org', password: 'a long passphrase' },
    });
    expect([second.status, second.body.code]).toEqual([403, 'SIGN_UP_CLOSED']);
  });
});

/** The user of the Caddy that serves from a data folder. */
function caddyOf(data: string): number {
  const { uid } = statSync(join(data, 'caddy/run/admin.sock'));
  return uid;
}
