// proof: docs
/** The files and commands of docs/tunnels.md, as they stand there. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseInvitation } from '../../../src/shared/invitation.ts';
import { startAdaptCaddy } from '../../harness/adapt-caddy.ts';
import { folderForFile } from '../../harness/for-file.ts';
import { createOperator } from '../../harness/operator.ts';
import { startOwnNetwork } from '../../harness/own-network.ts';
import { filesOf, readPage, shellIn } from '../../harness/page.ts';
import { runProgram } from '../../harness/program.ts';
import { until } from '../../harness/stack.ts';

const folder = folderForFile();
const files = await filesOf('docs/tunnels.md');
const page = await readPage('docs/tunnels.md');
const [VPS, HOME] = ['/etc/wireguard/home.conf', '/etc/wireguard/vps.conf'];
const probe = await startOwnNetwork();
await probe?.stop();

/** The values of a file of WireGuard. */
const fieldsOf = (path: string) =>
  Object.fromEntries(
    [...(files.get(path) ?? '').matchAll(/^(\w+) = (.*)$/gm)].map(([, name, value]) => [
      name,
      value,
    ]),
  );

test('the two ends of the tunnel let in each other, and nobody else', () => {
  const [vps, home] = [fieldsOf(VPS), fieldsOf(HOME)];
  expect([home.AllowedIPs, vps.AllowedIPs]).toEqual(
    [vps.Address, home.Address].map((one) => one?.replace('/24', '/32')),
  );
  expect(home.Endpoint).toBe(`vps.example:${vps.ListenPort}`);
  expect([vps.PrivateKey, vps.PublicKey, home.PrivateKey, home.PublicKey]).toEqual([
    'VPS_PRIVATE_KEY',
    'HOME_PUBLIC_KEY',
    'HOME_PRIVATE_KEY',
    'VPS_PUBLIC_KEY',
  ]);
});

test.skipIf(Bun.which('wg-quick') === null)(
  'WireGuard reads both files, with keys made as shown',
  async () => {
    const run = (command: string[]) => {
      const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: folder });
      return { exitCode, out: stdout.toString(), err: stderr.toString() };
    };
    const [makeKeys = ''] = page.blocksUnder('A small server outside');
    const made = run(['sh', '-ec', makeKeys]);
    expect([made.exitCode, made.err]).toEqual([0, '']);
    const keys: Record<string, string> = {
      PUBLIC: made.out.trim(),
      PRIVATE: (await Bun.file(join(folder, 'private.key')).text()).trim(),
    };
    for (const path of [VPS, HOME]) {
      const text = (files.get(path) ?? '')
        .replace(/\w+_(PUBLIC|PRIVATE)_KEY/g, (_, kind: string) => keys[kind] ?? '')
        .replace('vps.example', '192.0.2.1');
      const [file, stripped] = [join(folder, 'tunnel.conf'), join(folder, 'stripped.conf')];
      writeFileSync(file, text);
      const { exitCode, out } = run(['wg-quick', 'strip', file]);
      expect([exitCode, out.split('\n').filter(Boolean).length]).toEqual([
        0,
        text.split('\n').filter((line) => line !== '' && !line.startsWith('Address')).length,
      ]);
      const set = (lines: string) => {
        writeFileSync(stripped, lines);
        return run(['wg', 'setconf', 'none', stripped]).err;
      };
      // It reads the file before it finds that there is no such interface.
      expect(set(out)).not.toMatch(/unrecognized|parsing|not the correct/i);
      expect(set(out.replace('PublicKey', 'PublikKey'))).toMatch(/unrecognized/i);
    }
  },
);

test.skipIf(probe === null)(
  'the agent listens in the tunnel only, and the invitation names that address',
  async () => {
    const network = await startOwnNetwork([], 'ip addr add 10.9.0.1/24 dev lo');
    if (!network) throw new Error('no network');
    const [, host = ''] =
      /^AGENT_HOST=(.*)\n$/.exec(files.get('/etc/signalbox/agent.env') ?? '') ?? [];
    const env = { AGENT_HOST: host, PROXY_MANAGED: 'true', DATA_DIR: 'data' };
    const beside = { PROXYFILE: 'data/Caddyfile', ACCESS_LOG: 'data/logs/access.log' };
    const agent = runProgram(['agent', '--invite'], { ...env, ...beside }, folder, {
      prefix: network.prefix,
    });
    try {
      const printed = await until(
        () => /^invitation: (\S+)$/m.exec(agent.output.out),
        'an invitation',
      );
      expect(parseInvitation(printed[1] ?? '')?.url).toBe('https://10.9.0.1:3002');
      const health = 'https://10.9.0.1:3002/health https://127.0.0.1:3002/health';
      const answers = await network.run(`curl -sk -w '%{http_code} ' -o /dev/null ${health} || :`);
      expect(answers).toBe('200 000 ');
    } finally {
      agent.child.kill('SIGTERM');
      await agent.exited();
      await network.stop();
    }
  },
);

test('Caddy accepts the option, and its private ranges lack Tailscale’s addresses', async () => {
  const caddy = await startAdaptCaddy();
  try {
    const [tailnet = ''] = page.blocksUnder('The tailnet only', 'caddyfile');
    const bound = await caddy.adapt(`${tailnet}:8080 {\n\trespond ok\n}\n`);
    expect(bound.ok).toBe(true);
    expect(JSON.stringify(bound)).toContain('100.101.102.103:8080');
    const range = await caddy.adapt(
      ':8080 {\n\t@home remote_ip private_ranges\n\trespond @home ok\n}\n',
    );
    expect(JSON.stringify(range)).toContain('192.168.0.0/16');
    expect(JSON.stringify(range)).not.toContain('"100.');
  } finally {
    await caddy.stop();
  }
});

test('the commands add the site and the policy, with Tailscale’s addresses', async () => {
  const operator = createOperator();
  try {
    await operator.start();
    const shell = shellIn(operator.folder);
    const [, , add = ''] = page
      .blocksUnder('A small server outside')
      .filter((one) => !one.startsWith('#'));
    const added = await shell(add);
    expect([added.code, added.out]).toEqual([0, expect.stringContaining('app.example')]);
    const put = await shell(page.blocksUnder('The tailnet only')[0] ?? '');
    expect([put.code, put.out]).toEqual([0, expect.stringContaining('home-only')]);
    const made = await shell('signalbox api GET /policies');
    expect(made.out).toContain('100.64.0.0/10');
  } finally {
    await operator.close();
  }
});
