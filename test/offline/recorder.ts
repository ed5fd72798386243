/** A machine of its own with a way out that leads nowhere, and a record of what would have left. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOwnNetwork } from '../harness/own-network.ts';
import { until } from '../harness/stack.ts';

export const CAN_RECORD = ['tcpdump', 'unshare', 'nsenter', 'ip'].every((one) => Bun.which(one));

/** The machine, and the only other one of its network, which never answers. */
const OWN = '192.168.7.2';
export const DEVICE = '192.168.7.9';
const NOBODY = '198.51.100.1';

export type Recorder = {
  /** What a command line starts with, to run there. */
  prefix: readonly string[];
  /** Runs a shell script there, which must succeed. @returns what it printed */
  run: (script: string) => Promise<string>;
  /** A program that starts another one there. */
  wrapperOf: (program: string) => string;
  /** Each packet that left, and each question about a name, as tcpdump prints it. */
  seen: () => Promise<string[]>;
  stop: () => Promise<void>;
};

/** @param folder for its files @throws Error if this system cannot make it */
export async function startRecorder(folder: string): Promise<Recorder> {
  const resolver = join(folder, 'resolv.conf');
  // Nobody answers there, which is known at once; a question is recorded as one that would be passed on.
  writeFileSync(resolver, 'nameserver 127.0.0.53\n');
  const commands = [
    `mount --bind ${resolver} /etc/resolv.conf`,
    'ip link add out type veth peer name nowhere',
    `ip addr add ${OWN}/24 dev out`,
    'ip addr add fd00:7::2/64 dev out nodad',
    'ip link set out up && ip link set nowhere up',
    ...[DEVICE, '192.168.7.1', 'fd00:7::1'].map(
      (one) => `ip neigh add ${one} lladdr 02:00:00:00:00:01 dev out`,
    ),
    'ip route add default via 192.168.7.1',
    'ip -6 route add default via fd00:7::1',
  ];
  const network = await startOwnNetwork(['--mount'], commands.join(' && '));
  if (network === null) throw new Error('This machine cannot make a network of its own.');
  const prefix = network.prefix.flatMap((word) => (word === '-n' ? ['-n', '-m'] : [word]));
  const own = `(host 127.0.0.1 or host ::1 or net 127.0.0.0/8 or (src host ${OWN} and dst host ${OWN}))`;
  // What the kernel itself says of its IPv6 addresses is not recorded.
  const filter = `port 53 or not (icmp6 or dst host ff02::16 or ${own})`;
  const words = ['tcpdump', '-i', 'any', '-nn', '-l', '--immediate-mode', filter];
  const tcpdump = Bun.spawn([...prefix, ...words], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let text = '';
  let told = '';
  const read = async (stream: ReadableStream<Uint8Array>, add: (more: string) => void) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) add(decoder.decode(chunk, { stream: true }));
  };
  void read(tcpdump.stdout, (more) => {
    text += more;
  });
  void read(tcpdump.stderr, (more) => {
    told += more;
  });
  await until(() => told.includes('listening on'), `tcpdump (${told})`);

  let asked = 0;
  return {
    prefix,
    run: network.run,

    wrapperOf(program) {
      const file = join(folder, 'there');
      writeFileSync(file, `#!/bin/sh\nexec ${prefix.join(' ')} ${program} "$@"\n`);
      chmodSync(file, 0o755);
      return file;
    },

    /** A last packet, to a port of its own, shows that all before it are there. */
    async seen() {
      const mark = `${NOBODY}.${40_000 + asked++}`;
      await network.run(`bash -c 'echo > /dev/udp/${NOBODY}/${mark.split('.').at(-1)}'`);
      await until(() => text.includes(`> ${mark}: `), 'the last packet');
      return text.split('\n').filter((line) => line !== '' && !line.includes(`> ${NOBODY}.`));
    },

    async stop() {
      tcpdump.kill();
      await tcpdump.exited;
      await network.stop();
    },
  };
}
