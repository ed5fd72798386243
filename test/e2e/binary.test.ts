// proof: messages
/** The compiled program, in an empty folder. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json';
import { runBinary } from '../harness/binary.ts';
import { launchBrowser } from '../harness/browser.ts';
import { BUILD_TIMEOUT_MS, buildForHere, ROOT } from '../harness/build.ts';
import { caddiesOf } from '../harness/caddys.ts';
import { sendEmails } from '../harness/emails.ts';
import { CHASQUID } from '../harness/smtp.ts';
import { limit } from '../harness/speed.ts';
import { ask, freePort, portSettings, signUp, temporaryFolder, until } from '../harness/stack.ts';

const folder = temporaryFolder();
const dist = join(folder, 'dist');
let binary: string;

beforeAll(async () => {
  mkdirSync(dist);
  binary = await buildForHere(dist);
}, BUILD_TIMEOUT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let folders = 0;
function folderFor(name: string): string {
  const made = join(folder, `${name}-${folders++}`);
  mkdirSync(made);
  return made;
}

const run = (args: string[], env: Record<string, string> = {}, cwd = folderFor('empty')) =>
  runBinary(binary, args, env, cwd);

test('prints its version and commit', async () => {
  const { code, out, err } = await run(['--version']).exited();
  const git = Bun.spawnSync(['git', '-C', ROOT, 'rev-parse', 'HEAD'], { stderr: 'ignore' });
  const commit = git.stdout.toString().slice(0, 7);
  expect([code, err]).toEqual([0, '']);
  expect(out.replace('-dirty', '')).toBe(
    `${manifest.version}${existsSync(join(ROOT, '.git')) && commit ? ` (${commit})` : ''}\n`,
  );
});

test('runs nothing from the working folder', async () => {
  const hostile = folderFor('hostile');
  const ran = join(hostile, 'ran');
  writeFileSync(join(hostile, 'bunfig.toml'), 'preload = ["./preload.ts"]\n');
  writeFileSync(
    join(hostile, 'preload.ts'),
    `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '')`,
  );
  // The trap is real: Bun itself runs it.
  writeFileSync(join(hostile, 'empty.ts'), '');
  Bun.spawnSync([process.execPath, 'empty.ts'], { cwd: hostile });
  expect(existsSync(ran)).toBe(true);
  rmSync(ran);

  writeFileSync(join(hostile, 'package.json'), '{"name": nonsense');
  writeFileSync(join(hostile, 'tsconfig.json'), '{"compilerOptions": nonsense');
  mkdirSync(join(hostile, 'node_modules/elysia'), { recursive: true });
  writeFileSync(join(hostile, 'node_modules/elysia/index.js'), 'process.exit(66)');
  for (const args of [['--version'], ['hub']]) {
    const { code, err } = await run(args, {}, hostile).exited();
    expect(code).toBe(args[0] === 'hub' ? 1 : 0);
    expect(err).not.toContain('nonsense');
    expect(existsSync(ran)).toBe(false);
  }
});

test('reads .env in the working folder, but no .env.local or .env.production', async () => {
  const cwd = folderFor('env');
  writeFileSync(join(cwd, '.env'), 'AGENT_TOKEN=short\nSIGN_UP=closed # so far\n');
  writeFileSync(join(cwd, '.env.local'), 'HUB_PORT=70000\n');
  writeFileSync(join(cwd, '.env.production'), 'TRUST_PROXY=perhaps\n');
  writeFileSync(join(cwd, '.env.development'), 'SIGN_UP=perhaps\n');
  for (const env of [{}, { NODE_ENV: 'production' }, { NODE_ENV: 'development' }]) {
    const { code, err } = await run(['hub'], env, cwd).exited();
    expect(code).toBe(1);
    expect(err).toContain('  AGENT_TOKEN must have at least');
    for (const name of ['HUB_PORT', 'TRUST_PROXY', 'SIGN_UP']) expect(err).not.toContain(name);
  }
  // The environment takes precedence over the file.
  const { err } = await run(['hub'], { AGENT_TOKEN: 'x'.repeat(32), AGENT_URL: 'x' }, cwd).exited();
  expect(err).toContain('  AGENT_URL ');
  expect(err).not.toContain('AGENT_TOKEN');
});

test('shows function names and source lines in a stack trace', async () => {
  const preload = join(folder, 'fail.ts');
  writeFileSync(preload, 'process.stderr.write = () => { throw new Error("made to fail"); };');
  const { code, err } = await run(['import', 'nothing'], {
    BUN_OPTIONS: `--preload ${preload}`,
  }).exited();
  expect(code).toBe(1);
  expect(err).toContain('made to fail');
  expect(err).toMatch(/ at usingHub \(.*src\/program\/cli\/api\/local-hub\.ts:\d+:\d+\)/);
});

/** Signs in through the page and opens a site, whose page is loaded on demand, and the log. */
async function dashboardFaults(hub: string): Promise<string[]> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ baseURL: hub.replace(/\/api$/, '') });
    page.setDefaultTimeout(limit(30_000));
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('requestfailed', (request) => {
      // Leaving a page aborts its API requests.
      if (!request.url().includes('/api/')) faults.push(`${request.url()} failed`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
    });
    await page.goto('/');
    await page.getByLabel('Email').fill('ada@example.org');
    await page.getByLabel('Password').fill('a long passphrase');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Sites' }).click();
    await page.getByRole('link', { name: 'http://app.example' }).click();
    await page.locator('.log-plot svg').waitFor();
    await page.goto('/logs');
    await page.locator('.log-plot svg').waitFor();
    return faults;
  } finally {
    await browser.close();
  }
}

test.each([
  [{}, true],
  [{ BUN_JSC_useFTLJIT: '0' }, false],
])('compiles less of itself with %j: %j, in the same process', async (options, compilesLess) => {
  const settings = { ...options, AGENT_TOKEN: 'x'.repeat(32), HUB_PORT: '0' };
  const program = run(['hub'], settings);
  try {
    await program.address('hub');
    const of = (what: string) =>
      readFileSync(`/proc/${program.child.pid}/${what}`, 'utf8').split('\0').slice(0, -1);
    expect(of('cmdline').slice(1)).toEqual(['hub']);
    const variables = of('environ');
    expect(variables).toContain('HUB_PORT=0');
    expect(variables.some((one) => one.startsWith('BUN_JSC_threshold'))).toBe(compilesLess);
    program.child.kill('SIGTERM');
    expect((await program.exited()).code).toBe(0);
  } finally {
    program.child.kill('SIGKILL');
  }
});

test('does the whole job in an empty folder', async () => {
  const cwd = folderFor('empty');
  const httpPort = freePort();
  const program = run([], portSettings(httpPort), cwd);
  const caddies = () => caddiesOf(join(cwd, 'data'));
  try {
    const hub = `${await program.address('hub')}/api`;
    const { headers } = await signUp({ hub });
    const signIn = (password: string) =>
      ask(`${hub}/auth/sign-in/email`, { json: { email: 'ada@example.org', password } });
    expect((await signIn('another passphrase')).status).toBe(401);
    expect((await signIn('a long passphrase')).status).toBe(200);
    const common = await ask<{ code: string }>(`${hub}/auth/sign-up/email`, {
      json: { name: 'B', email: 'b@example.org', password: 'password1' },
      headers,
    });
    expect([common.status, common.body.code]).toEqual([400, 'PASSWORD_TOO_COMMON']);

    const vhost = { domain: 'http://app.example', config: 'respond "from {host}"' };
    const made = await ask<{ id: number }>(`${hub}/vhosts`, { json: vhost, headers });
    expect(made.status).toBe(201);
    const served = async () =>
      (await ask(`http://127.0.0.1:${httpPort}/`, { headers: { Host: 'app.example' } })).text;
    expect(await served()).toBe('from app.example');

    const bad = await ask<{ code: string; detail: string }>(`${hub}/vhosts/${made.body.id}`, {
      method: 'PUT',
      json: { config: 'respont "x"' },
      headers,
    });
    expect([bad.status, bad.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(bad.body.detail).not.toContain('$bunfs');
    expect(await served()).toBe('from app.example');
    const invalid = await ask(`${hub}/vhosts`, { json: { domain: 1 }, headers });
    const refusal = { code: 'INVALID_REQUEST', message: expect.any(String), field: 'domain' };
    expect([invalid.status, invalid.body]).toEqual([400, refusal]);

    await until(async () => {
      const logs = await ask<{ total: number }>(`${hub}/logs?domain=app.example`, { headers });
      return logs.body.total === 2;
    }, 'two entries in the log');
    const history = await ask<{ action: string }[]>(`${hub}/changelog`, { headers });
    expect(history.body.map(({ action }) => action)).toEqual(['create']);
    const status = await ask(`${hub}/status`, { headers });
    expect(status.body).toMatchObject({ version: manifest.version, inStep: true });

    expect(await dashboardFaults(hub)).toEqual([]);

    program.child.kill('SIGTERM');
    const { code, err } = await program.exited();
    expect(code).toBe(0);
    expect(err).not.toMatch(/error|\$bunfs/i);
    expect(readdirSync(cwd)).toEqual(['data']);
    expect(caddies()).toEqual([]);
  } finally {
    program.child.kill('SIGKILL');
    for (const { pid } of caddies()) process.kill(pid, 'SIGKILL');
  }
});

test.skipIf(CHASQUID === null)('sends email', () =>
  sendEmails((env) => run([], { ...portSettings(), ...env }, folderFor('email'))),
);

test('lets sites serve files, but not those of the program', async () => {
  const cwd = folderFor('files');
  const www = folderFor('www');
  writeFileSync(join(www, 'a.txt'), 'public');
  const ports = portSettings();
  // Nobody else can enter the folder, so Caddy shares the program's user.
  const program = run([], ports, cwd);
  const hub = `${await program.address('hub')}/api`;
  const { headers } = await signUp({ hub });
  const publish = (domain: string, root: string) =>
    ask(`${hub}/vhosts`, {
      json: { domain: `http://${domain}`, config: `root * ${root}\nfile_server` },
      headers,
    });
  expect((await publish('data.example', join(cwd, 'data'))).status).toBe(502);
  expect((await publish('binary.example', dist)).status).toBe(502);
  expect((await publish('www.example', www)).status).toBe(201);
  const url = `http://127.0.0.1:${ports.PROXY_HTTP_PORT}/a.txt`;
  expect((await ask(url, { headers: { Host: 'www.example' } })).text).toBe('public');
  program.child.kill('SIGTERM');
  expect((await program.exited()).code).toBe(0);
});
