/** What systemd is sent about start, stop and keep-alives. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  createServiceManager,
  sendDatagram,
} from '../../../src/program/systemd/service-manager.ts';
import { folderForFile } from '../../harness/for-file.ts';
import { runProgram } from '../../harness/program.ts';
import { until } from '../../harness/stack.ts';

const folder = folderForFile();

/** Prints each datagram that arrives at a socket, after `> `. */
const RECEIVER = `use Socket; $| = 1; my $name = shift; $name =~ s/^@/\\0/;
socket(my $in, AF_UNIX, SOCK_DGRAM, 0) or die $!;
bind($in, pack_sockaddr_un($name)) or die $!;
print "bound\\n";
while (defined recv($in, my $text, 4096, 0)) { print "> $text" }`;
const perl = Bun.which('perl');

/** Stands in for systemd, with a real socket at a path or in the abstract namespace. */
async function listenAt(socket: string) {
  const child = Bun.spawn(['perl', '-e', RECEIVER, socket], { stdout: 'pipe' });
  const received = { text: '' };
  const drained = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout)
      received.text += decoder.decode(chunk, { stream: true });
  })();
  await until(() => received.text.startsWith('bound\n'), 'the receiver');
  return {
    received,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await drained;
    },
  };
}

describe('systemd is sent', () => {
  function fake(env: Record<string, string>) {
    const sent: string[] = [];
    const logged: string[] = [];
    const send = (socket: string, text: string) => {
      if (socket === '/broken') throw new Error('no');
      sent.push(`${socket} ${text}`);
    };
    const manager = createServiceManager(env, 42, send, (event) => void logged.push(event));
    manager.ready('serving');
    return { manager, sent, logged };
  }

  test.each([
    ['there is no address', {}],
    ['the address is empty', { NOTIFY_SOCKET: '' }],
    ['the address is a virtual machine’s', { NOTIFY_SOCKET: 'vsock-stream:2:1' }],
  ])('nothing if %s', (_what, env) => {
    const { manager, sent } = fake({ ...env, WATCHDOG_USEC: '2000' });
    manager.stopping();
    manager.end();
    expect(sent).toEqual([]);
  });

  test('its messages, and a failure to send is only logged', () => {
    const { logged } = fake({ NOTIFY_SOCKET: '/broken' });
    expect(logged).toEqual(['service manager not notified']);
  });

  test('no keep-alives meant for another process', async () => {
    const { manager, sent } = fake({
      NOTIFY_SOCKET: '/n',
      WATCHDOG_USEC: '2000',
      WATCHDOG_PID: '41',
    });
    const own = fake({ NOTIFY_SOCKET: '/n', WATCHDOG_USEC: '2000', WATCHDOG_PID: '42' });
    await until(() => own.sent.length > 3, 'keep-alives');
    own.manager.end();
    manager.end();
    expect(own.sent[1]).toBe('/n WATCHDOG=1\n');
    expect(sent).toEqual(['/n READY=1\nSTATUS=serving\n']);
  });

  test('nothing at a missing socket, which is an error', () => {
    expect(() => sendDatagram(join(folder, 'nowhere'), 'READY=1\n')).toThrow();
    expect(() => sendDatagram('@signalbox-nowhere', 'READY=1\n')).toThrow();
  });

  for (const [kind, socket] of [
    ['a path', join(folder, 'notify')],
    ['an abstract name', `@signalbox-test-${process.pid}`],
  ] as const) {
    test.skipIf(perl === null)(`the program’s messages, at ${kind}`, async () => {
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
      await until(() => receiver.received.text.includes('WATCHDOG=1'), 'a keep-alive');
      expect(receiver.received.text).toStartWith(
        'bound\n> READY=1\nSTATUS=serving\n> WATCHDOG=1\n',
      );
      await program.address('hub');

      program.child.kill('SIGTERM');
      expect((await program.exited()).code).toBe(0);
      await until(() => receiver.received.text.includes('> STOPPING=1\n'), 'its end');
      expect(program.output.err).not.toContain('not told');
    });
  }

  test.skipIf(perl === null)('nothing by a program that fails to start', async () => {
    const socket = join(folder, 'silent');
    await using receiver = await listenAt(socket);
    const { code } = await runProgram(['hub'], { NOTIFY_SOCKET: socket }, folder).exited();
    expect(code).toBe(1);
    // Anything the program sent would arrive before this.
    sendDatagram(socket, 'LAST=1\n');
    await until(() => receiver.received.text.includes('LAST'), 'the last datagram');
    expect(receiver.received.text).toBe('bound\n> LAST=1\n');
  });
});
