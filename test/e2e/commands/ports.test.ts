// proof: program
/** Ports 80 and 443: held by Debian's caddy.service, forbidden to the user, and free again. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { refusal } from '../../harness/operator.ts';
import { type OwnNetwork, startDebiansCaddy, startOwnNetwork } from '../../harness/own-network.ts';
import { type Program, runProgram } from '../../harness/program.ts';
import { until } from '../../harness/stack.ts';
import { asUser, NOBODY, openFolder } from '../../harness/unprivileged.ts';

const probe = await startOwnNetwork();
await probe?.stop();
const API = 'http://127.0.0.1:3000/api';

describe.skipIf(probe === null)('Caddy’s ports', () => {
  const folders: string[] = [];
  let network: OwnNetwork;
  let home: string;
  let started: Program | null = null;
  let other: Bun.Subprocess | null = null;

  beforeEach(async () => {
    network = (await startOwnNetwork()) as OwnNetwork;
    const opened = openFolder(NOBODY);
    folders.push(opened.folder);
    home = opened.home;
  });
  afterEach(async () => {
    for (const child of [started?.child, other]) {
      child?.kill('SIGTERM');
      await child?.exited;
    }
    [started, other] = [null, null];
    await network.stop();
  });
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  type As = { env?: Record<string, string>; user?: readonly string[] };
  const run = (args: string[], { env = {}, user = [] }: As = {}) =>
    runProgram(args, env, home, { prefix: [...network.prefix, ...user] });
  const ports = (...more: string[]) => run(['ports', ...more]).exited();
  const caddyfile = () => readFileSync(join(home, 'data/Caddyfile'), 'utf8');

  /** What it says of its ports comes after its addresses. */
  const says = (program: Program, text: string) =>
    until(() => program.output.out.includes(text), text);

  /** Starts the one-machine mode, and signs its owner up. */
  async function start(as: As = {}) {
    const program = run([], as);
    started = program;
    await program.address('agent');
    const account = '{"name":"Ada","email":"ada@example.org","password":"a long passphrase"}';
    const { token } = JSON.parse(
      await network.run(`curl -sf ${API}/auth/sign-up/email -d '${account}'`),
    ) as { token: string };
    const api = async (path: string, body?: object) =>
      JSON.parse(
        await network.run(
          `curl -s ${API}${path} -H 'Authorization: Bearer ${token}' ${
            body === undefined ? '' : `-d '${JSON.stringify(body)}'`
          }`,
        ),
      );
    return { program, api };
  }

  test('are the next free ones if 8080 is held, too', async () => {
    other = await startDebiansCaddy(network);
    const listen = ['caddy', 'respond', '--listen', ':8080'];
    const held = Bun.spawn([...network.prefix, ...listen], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    try {
      await network.run('until curl -s 127.0.0.1:8080; do sleep 0.1; done');
      const { api } = await start();
      const { config } = await api('/preamble');
      expect(config).toContain('http_port 8081\n\thttps_port 8443\n');
    } finally {
      held.kill();
      await held.exited;
    }
  });

  test('held by Debian’s Caddy are named, and nothing moves before they are free', async () => {
    other = await startDebiansCaddy(network);
    const { program, api } = await start();
    const held = `80 is held by caddy (pid ${other.pid})`;
    await says(
      program,
      `\nCaddy's ports are 8080 for HTTP and 8443 for HTTPS.\n  ${held}.\n  443 is free, but `,
    );
    await says(program, `\nTo fix it: sudo kill ${other.pid}\n`);

    const site = await api('/vhosts', { domain: 'http://a.example', config: 'respond hello' });
    expect(site).toMatchObject({ domain: 'http://a.example' });
    const { serving } = await api('/status');
    expect(serving).toMatchObject({
      http: { port: 8080, wanted: 80, reason: held },
      https: { port: 8443, wanted: 443 },
      cure: `sudo kill ${other.pid}`,
    });

    const before = caddyfile();
    const refused = await ports('--standard');
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.err).toBe(
      `signalbox ports: Caddy cannot move to ports 80 and 443: ${held}. (PORT_UNAVAILABLE)\n  To fix it: sudo kill ${other.pid}\n`,
    );
    expect(await api('/ports/standard', {})).toMatchObject({ code: 'PORT_UNAVAILABLE' });
    expect(caddyfile()).toBe(before);

    other.kill();
    await other.exited;
    const shown = await ports();
    expect([shown.code, shown.err]).toEqual([0, '']);
    expect(shown.out).toContain(
      '  80 is free, but the global option http_port is 8080.\n  443 is free',
    );
    expect(shown.out).toContain('To move: signalbox ports --standard\n');
    // Shown, not moved.
    expect(caddyfile()).toBe(before);

    const moved = await ports('--standard');
    expect([moved.code, moved.out]).toEqual([
      0,
      "Caddy's ports are 80 for HTTP and 443 for HTTPS.\n",
    ]);
    const visit = "curl -s -H 'Host: a.example' http://127.0.0.1";
    expect(await network.run(`${visit}:80/`)).toBe('hello');
    const [entry] = await api('/changelog');
    expect(entry).toMatchObject({ domain: '(preamble)', userName: 'command line' });
    await api(`/changelog/${entry.id}/revert`, {});
    expect(caddyfile()).toBe(before);
    expect(await network.run(`${visit}:8080/`)).toBe('hello');

    // The next one that takes the port is named, not the last.
    other = await startDebiansCaddy(network);
    expect((await ports()).out).toContain(`80 is held by caddy (pid ${other.pid})`);
    other.kill();
    await other.exited;

    // What Caddy itself has on port 80 is in nobody's way.
    const there = { domain: ':80', config: ':80 {\n\trespond there\n}' };
    expect(await api('/vhosts', there)).toMatchObject({ enabled: true });
    expect((await api('/status')).serving.http).toEqual({
      blocked: false,
      port: 8080,
      wanted: 80,
      reason: 'the global option http_port is 8080',
    });
    expect((await api('/ports/standard', {})).serving).toMatchObject({ cure: null });
    expect(await network.run(`${visit}:80/`)).toBe('hello');
  });

  test('are not called taken if they are forbidden, and need no restart once they are not', async () => {
    const user = asUser(NOBODY);
    const { program } = await start({ user });
    const forbidden = 'is forbidden: the user that Caddy runs as may not open ports below 1024';
    await says(program, `\n  80 ${forbidden}.\n  443 ${forbidden}.\n`);
    await says(program, '\nTo fix it: echo net.ipv4.ip_unprivileged_port_start');
    expect(program.output.out).not.toContain('held');
    expect(await ports('--standard')).toEqual(refusal(`80 ${forbidden}`));
    const words = [];
    for (const dryRun of [['--dry-run'], []]) {
      const input = ':80 {\n\trespond a\n}\n';
      const prefix = [...network.prefix, ...user];
      const command = runProgram(['import', '-', ...dryRun], {}, home, { prefix, input });
      const { code, out, err } = await command.exited();
      expect([code, out]).toEqual([1, '']);
      words.push(err);
    }
    expect(words[0]).toContain('listening on :80: permission denied');
    expect(words[1]).toBe(words[0] ?? '');

    // It is a setting of each network.
    await network.run('echo 80 > /proc/sys/net/ipv4/ip_unprivileged_port_start');
    expect((await ports('--standard')).out).toBe(
      "Caddy's ports are 80 for HTTP and 443 for HTTPS.\n",
    );
    expect(caddyfile()).toContain('\thttp_port 80\n\thttps_port 443\n');
  });

  test('held by a program that the user may not see are said to be so', async () => {
    other = await startDebiansCaddy(network);
    const { program } = await start({ user: asUser(NOBODY) });
    await says(program, '\n  80 is held by another program.\n  443 is forbidden');
    await says(program, "\nTo fix it: sudo ss -ltnp 'sport = :80'\n");
  });

  test.each([
    ['taken', [], 'port 80 is taken by another program'],
    ['forbidden', asUser(NOBODY), 'port 80 is forbidden: ports below 1024 are for root'],
  ])(
    'that were chosen by setting are named with it if they are %s',
    async (_what, user, reason) => {
      other = await startDebiansCaddy(network);
      const { program } = await start({ env: { PROXY_HTTP_PORT: '80' }, user });
      const named = `"PROXY_HTTP_PORT: ${reason}"`;
      await until(() => program.output.err.includes(named), named);
    },
  );
});
