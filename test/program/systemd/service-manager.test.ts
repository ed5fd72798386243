import { afterAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { sendDatagram } from '../../../src/program/systemd/datagram.ts';
import { createServiceManager } from '../../../src/program/systemd/service-manager.ts';
import { runProgram } from '../../harness/program.ts';
import { temporaryFolder, until } from '../../harness/stack.ts';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Prints what arrives at a datagram socket, each behind `> `. */
const RECEIVER = `use Socket; $| = 1; my $name = shift; $name =~ s/^@/\\0/;
socket(my $in, AF_UNIX, SOCK_DGRAM, 0) or die $!;
bind($in, pack_sockaddr_un($name)) or die $!;
print "bound\\n";
while (defined recv($in, my $text, 4096, 0)) { print "> $text" }`;
const perl = Bun.which('perl');

/** systemd's end: a real socket at a path, or in the abstract namespace. */
async function listenAt(socket: string) {
  const child = Bun.spawn(['perl', '-e', RECEIVER, socket], { stdout: 'pipe' });
  const heard = { text: '' };
  const drained = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) heard.text += decoder.decode(chunk, { stream: true });
  })();
  await until(() => heard.text.startsWith('bound\n'), 'the receiver');
  return {
    heard,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await drained;
    },
  };
}

describe('systemd is told', () => {
  function fake(env: Record<string, string>) {
    const sent: string[] = [];
    const logged: string[] = [];
    const manager = createServiceManager({
      env,
      pid: 42,
      send: (socket, text) => {
        if (socket === '/broken') throw new Error('no');
        sent.push(`${socket} ${text}`);
      },
      log: (event) => void logged.push(event),
    });
    manager.ready('serving');
    return { manager, sent, logged };
  }

  test.each([
    ['nothing has asked', {}],
    ['the address is empty', { NOTIFY_SOCKET: '' }],
    ['the address is a virtual machine’s', { NOTIFY_SOCKET: 'vsock-stream:2:1' }],
  ])('nothing where %s', (_what, env) => {
    const { manager, sent } = fake({ ...env, WATCHDOG_USEC: '2000' });
    manager.stopping();
    manager.close();
    expect(sent).toEqual([]);
  });

  test('and a failure is logged, no more', () => {
    const { logged } = fake({ NOTIFY_SOCKET: '/broken' });
    expect(logged).toEqual(['service manager not told']);
  });

  test('no sign of life that is asked of another process', async () => {
    const { manager, sent } = fake({
      NOTIFY_SOCKET: '/n',
      WATCHDOG_USEC: '2000',
      WATCHDOG_PID: '41',
    });
    const own = fake({ NOTIFY_SOCKET: '/n', WATCHDOG_USEC: '2000', WATCHDOG_PID: '42' });
    await until(() => own.sent.length > 3, 'signs of life');
    own.manager.close();
    manager.close();
    expect(own.sent[1]).toBe('/n WATCHDOG=1\n');
    expect(sent).toEqual(['/n READY=1\nSTATUS=serving\n']);
  });

  test('a socket that is not there is an error', () => {
    expect(() => sendDatagram(join(folder, 'nowhere'), 'READY=1\n')).toThrow();
    expect(() => sendDatagram('@signalbox-nowhere', 'READY=1\n')).toThrow();
  });

  for (const [kind, socket] of [
    ['a path', join(folder, 'notify')],
    ['an abstract name', `@signalbox-test-${process.pid}`],
  ] as const) {
    test.skipIf(perl === null)(`by the program, at ${kind}`, async () => {
      await using receiver = await listenAt(socket);
      const program = runProgram(
        ['hub'],
        {
          NOTIFY_SOCKET: socket,
          WATCHDOG_USEC: '100000',
          HUB_PORT: '0',
          AGENT_TOKEN: 't'.repeat(32),
          DATA_DIR: join(folder, 'data'),
        },
        folder,
      );
      await until(() => receiver.heard.text.includes('WATCHDOG=1'), 'a sign of life');
      expect(receiver.heard.text).toStartWith('bound\n> READY=1\nSTATUS=serving\n> WATCHDOG=1\n');
      expect(program.output.out).toContain('hub listening on ');

      program.child.kill('SIGTERM');
      expect((await program.exited()).code).toBe(0);
      await until(() => receiver.heard.text.includes('> STOPPING=1\n'), 'its end');
      expect(program.output.err).not.toContain('not told');
    });
  }

  test.skipIf(perl === null)('nothing by a program that cannot start', async () => {
    const socket = join(folder, 'silent');
    await using receiver = await listenAt(socket);
    const { code } = await runProgram(['hub'], { NOTIFY_SOCKET: socket }, folder).exited();
    expect(code).toBe(1);
    // What it had sent would be there before this.
    sendDatagram(socket, 'LAST=1\n');
    await until(() => receiver.heard.text.includes('LAST'), 'the last datagram');
    expect(receiver.heard.text).toBe('bound\n> LAST=1\n');
  });
});
