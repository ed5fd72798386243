// proof: hub
/** Certificates of the hub when something is amiss: its key lost, an agent by plain HTTP, an old one expired. */
import { expect, test } from 'bun:test';
import { existsSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { type Chain, makeChain, makeIssuer, selfSigned } from '../../harness/certificate.ts';
import { startFleet } from '../../harness/fleet.ts';
import { presented, startLoneAgent } from '../../harness/lone-agent.ts';
import { runProgram } from '../../harness/program.ts';
import { ask, freePort, signUp, until } from '../../harness/stack.ts';

type Refusal = { code: string; field?: string };
type Status = { problems: { code: string }[] };

const SITE = 'nas.lan.example.org';
const NAMES = ['*.lan.example.org'];

const chainOf = (days: number) => makeChain({ names: NAMES, days, issuer });
const issuer = await makeIssuer();
const pairOf = ({ chain, key }: Chain) => ({ chain, key });

test('an undo that would bring back one that has expired is refused, and the new one stays', async () => {
  const fleet = await startFleet([]);
  const kept = (method: string, path: string, json?: object) =>
    fleet.call<Refusal>(method, `/certificates/kept${path}`, json);
  const shown = () => presented(fleet.stack.httpsPort, SITE);
  try {
    const site = { domain: SITE, config: 'respond nas' };
    expect((await fleet.call('POST', '/vhosts', site)).status).toBe(201);
    const { certificate: chain, key } = await selfSigned(NAMES, 3);
    const made = await kept('POST', '', { name: 'b', chain, key });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    const late = await chainOf(90);
    expect((await kept('PUT', '/b', pairOf(late))).status).toBe(200);
    const [entry] = (await fleet.call<{ id: number }[]>('GET', '/changelog')).body;
    await Bun.sleep(3_000);
    const undone = await fleet.call<Refusal>('POST', `/changelog/${entry?.id}/revert`);
    expect([undone.status, undone.body.code]).toEqual([409, 'REVERT_CONFLICT']);
    await until(async () => (await shown()) === late.serial, 'the new one');
  } finally {
    await fleet.stop();
  }
});

test('without its key, the hub says so, and sites keep their certificates until that is resolved', async () => {
  const fleet = await startFleet([]);
  const { stack, call } = fleet;
  const kept = (method: string, path: string, json?: object) =>
    call<Refusal>(method, `/certificates/kept${path}`, json);
  const site = (name: string) => call('POST', '/vhosts', { domain: name, config: 'respond x' });
  const shown = () => presented(stack.httpsPort, SITE);
  const untilProblem = async (problem: boolean) =>
    until(async () => {
      const { problems } = (await call<Status>('GET', '/status')).body;
      return problems.some(({ code }) => code === 'SECRET_KEY_UNUSABLE') === problem;
    }, `the problem: ${problem}`);
  try {
    const [old, next] = (await Promise.all([30, 60].map(chainOf))) as [Chain, Chain];
    expect((await kept('POST', '', { name: 'lan', ...pairOf(old) })).status).toBe(201);
    const { certificate: chain, key } = await selfSigned(['more.example']);
    expect((await kept('POST', '', { name: 'more', chain, key })).status).toBe(201);
    const own = { domain: SITE, config: 'respond nas' };
    expect((await call('POST', '/vhosts', own)).status).toBe(201);
    const file = join(stack.dataDir, 'secret-key');
    await stack.restart(() => rmSync(file));
    await untilProblem(true);
    expect(await shown()).toBe(old.serial);

    expect((await site('http://other.example')).status).toBe(201);
    expect([await shown(), existsSync(file)]).toEqual([old.serial, false]);
    const put = await kept('PUT', '/lan', pairOf(next));
    expect(put.body.code).toBe('SECRET_KEY_UNUSABLE');
    await stack.restart();
    expect(await shown()).toBe(old.serial);
    expect((await site('http://third.example')).status).toBe(201);
    expect(await shown()).toBe(old.serial);

    // What the problem advises: delete all and add them again, even if the agent has lost its file as well.
    await stack.restart(() => rmSync(`${stack.proxyfile}.certificates`));
    expect(await shown()).not.toBe(old.serial);
    expect((await site('http://fourth.example')).status).toBe(201);
    for (const name of ['lan', 'more']) {
      const { status, text } = await kept('DELETE', `/${name}?force=true`);
      expect([status, text]).toEqual([200, '{"success":true}']);
    }
    expect((await kept('POST', '', { name: 'lan', ...pairOf(next) })).status).toBe(201);
    await untilProblem(false);
    expect(await shown()).toBe(next.serial);
    // Nobody has the key of those any more.
    const [, deleted] = (await call<{ id: number }[]>('GET', '/changelog')).body;
    expect((await call('POST', `/changelog/${deleted?.id}/revert`)).status).toBe(400);
    expect(await shown()).toBe(next.serial);
  } finally {
    await fleet.stop();
  }
});

test('an agent elsewhere by plain HTTP is sent no certificate, not even one that is there', async () => {
  const token = 'x'.repeat(43);
  const agentPort = freePort();
  const agent = await startLoneAgent({ AGENT_PORT: String(agentPort), AGENT_TOKEN: token }, true);
  /** What the hub sends to the agent. */
  let sent = '';
  const port = freePort();
  const wire = createServer((near) => {
    const far = connect(agentPort, '127.0.0.1');
    near.on('data', (data) => {
      sent += data;
    });
    for (const one of [near, far]) one.on('error', () => {});
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
  }).listen(port, '127.0.0.1');
  const env = {
    DATA_DIR: join(agent.folder, 'hub'),
    HUB_PORT: String(freePort()),
    AGENT_TOKEN: token,
  };
  const hub = `http://127.0.0.1:${env.HUB_PORT}/api`;
  /** @param host is this machine, and the hub does not know */
  async function start(host: string) {
    const program = runProgram(
      ['hub'],
      { ...env, AGENT_URL: `http://${host}:${port}` },
      agent.folder,
    );
    await program.address('hub');
    return async () => {
      program.child.kill('SIGTERM');
      await program.exited();
    };
  }
  let stop = await start('127.0.0.1');
  try {
    const { headers } = await signUp({ hub });
    const call = (method: string, path: string, json?: object) =>
      ask<Refusal>(`${hub}${path}`, { method, headers, json });
    const ports = `http_port ${agent.httpPort}\n\thttps_port ${agent.httpsPort}`;
    const config = `{\n\t${ports}\n\tlocal_certs\n\tskip_install_trust\n}`;
    expect((await call('PUT', '/preamble', { config })).status).toBe(200);
    const [one, other] = (await Promise.all([30, 60].map(chainOf))) as [Chain, Chain];
    const made = await call('POST', '/certificates/kept', { name: 'lan', ...pairOf(one) });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    const site = { domain: SITE, config: 'respond nas' };
    expect((await call('POST', '/vhosts', site)).status).toBe(201);
    expect(await agent.presented(SITE)).toBe(one.serial);
    const secret = JSON.stringify(one.key.split('\n')[1]).slice(1, -1);
    expect(sent).toContain(secret);

    await stop();
    stop = await start('0.0.0.0');
    sent = '';
    for (const [method, path, json] of [
      ['POST', '', { name: 'new', ...pairOf(other) }],
      ['PUT', '/lan', pairOf(other)],
    ] as const) {
      const refused = await call(method, `/certificates/kept${path}`, json);
      expect([refused.status, refused.body]).toMatchObject([
        400,
        { code: 'INVALID_REQUEST', field: 'key' },
      ]);
    }
    const more = { domain: 'http://more.example', config: 'respond more' };
    expect((await call('POST', '/vhosts', more)).status).toBe(201);
    expect(sent).toContain('more.example');
    const [entry] = (await ask<{ id: number }[]>(`${hub}/changelog`, { headers })).body;
    expect((await call('POST', `/changelog/${entry?.id}/revert`)).status).toBe(200);
    const renamed = await call('PUT', '/certificates/kept/lan', { name: 'home' });
    expect(renamed.status).toBeOneOf([200, 400]);
    for (const word of [secret, 'PRIVATE KEY', 'BEGIN CERTIFICATE'])
      expect(sent).not.toContain(word);
    await until(
      async () => (await agent.presented(SITE)) === 'Caddy',
      'a certificate of Caddy’s own',
    );
    expect(existsSync(agent.file)).toBe(false);
  } finally {
    await stop();
    wire.close();
    await agent.stop();
  }
});
