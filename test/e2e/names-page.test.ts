// proof: docs
/** docs/names.md: what dnsmasq answers with the lines of the page, and what it asks nobody. */
import { afterAll, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesOf, readPage } from '../harness/page.ts';
import { startServer } from '../harness/server-process.ts';
import { freePort, temporaryFolder } from '../harness/stack.ts';

const DNSMASQ = Bun.which('dnsmasq') ?? Bun.which('/usr/sbin/dnsmasq');
const canRun = DNSMASQ !== null && Bun.which('dig') !== null;
if (!canRun) console.warn('NOT TESTED, docs/names.md: there is no dnsmasq, or no dig');

const PROXY = '192.168.1.10';
const folder = temporaryFolder();
const stops: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A resolver elsewhere, which knows no name. @returns its port, and the questions that it got */
async function startProvider() {
  const asked: string[] = [];
  const socket = await Bun.udpSocket({
    hostname: '127.0.0.1',
    socket: {
      data(from, query, port, address) {
        asked.push(query.toString('latin1'));
        const answer = Buffer.from(query);
        // A response: NXDOMAIN.
        answer[2] = 0x84;
        answer[3] = 0x03;
        from.send(answer, port, address);
      },
    },
  });
  stops.push(() => socket.close());
  return { port: socket.port, asked };
}

/** @param upstream the port of the server that it asks */
async function startDnsmasq(lines: string, upstream: number) {
  const port = freePort();
  const file = join(folder, `${port}.conf`);
  writeFileSync(file, lines);
  const fixed = ['--no-resolv', '--no-hosts', '--user=root', '--pid-file='];
  const at = [`--port=${port}`, '--listen-address=127.0.0.1', '--bind-interfaces'];
  const command = [DNSMASQ ?? '', '--keep-in-foreground', `--conf-file=${file}`];
  const server = `--server=127.0.0.1#${upstream}`;
  stops.push(await startServer([...command, ...fixed, ...at, server], folder, port));
  return {
    port,
    /** What `dig` prints. */
    async dig(name: string, ...more: string[]) {
      const words = ['@127.0.0.1', '-p', String(port), '+tries=1', '+time=5', name, ...more];
      return (await new Response(Bun.spawn(['dig', ...words]).stdout).text()).trim();
    },
  };
}

test.skipIf(!canRun)(
  'the lines for dnsmasq lead all names to the proxy, and ask nobody',
  async () => {
    const lines = (await filesOf('docs/names.md')).get('/etc/dnsmasq.d/home.conf') ?? '';
    expect(lines).toContain('local=');
    expect(
      Bun.spawnSync([DNSMASQ ?? '', '--test', '--conf-file=-'], { stdin: Buffer.from(lines) })
        .exitCode,
    ).toBe(0);
    const provider = await startProvider();
    const { dig } = await startDnsmasq(lines, provider.port);
    expect(await dig('home.example', 'AAAA')).toContain('status: NOERROR');
    for (const type of ['AAAA', 'TXT', 'HTTPS']) {
      expect(await dig('anything.home.example', '+short', type)).toBe('');
    }
    expect(provider.asked).toEqual([]);
    for (const name of ['home.example', 'app.home.example', 'a.b.home.example']) {
      expect(await dig(name, '+short')).toBe(PROXY);
    }
    expect(await dig('nas.home.example', '+short')).toBe('192.168.1.5');
    // That a question arrives there can be seen.
    expect(await dig('home.example.org')).toContain('status: NXDOMAIN');
    expect(provider.asked.some((query) => query.includes('\x03org'))).toBe(true);
  },
);

test.skipIf(!canRun)(
  'without the second line, dnsmasq asks elsewhere for other records',
  async () => {
    const provider = await startProvider();
    const { dig } = await startDnsmasq(`address=/home.example/${PROXY}\n`, provider.port);
    await dig('anything.home.example', 'AAAA');
    expect(provider.asked.length).toBe(1);
  },
);

test.skipIf(!canRun)(
  'a resolver that protects from rebinding drops the name until it is allowed',
  async () => {
    const [, allowed = ''] =
      /`(rebind-domain-ok=[^`]+)`/.exec((await readPage('docs/names.md')).text) ?? [];
    const home = await startDnsmasq(`address=/home.example/${PROXY}\n`, freePort());
    const shut = await startDnsmasq('stop-dns-rebind\n', home.port);
    expect(await shut.dig('app.home.example', '+short')).toBe('');
    const open = await startDnsmasq(`stop-dns-rebind\n${allowed}\n`, home.port);
    expect(await open.dig('app.home.example', '+short')).toBe(PROXY);
  },
);
