/**
 * A machine with a live systemd: namespaces of its own over a copy of this system, on which nothing
 * is changed. Needs root, systemd 250 or newer and a kernel that allows all of it.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limit } from './speed.ts';
import { temporaryFolder, until } from './stack.ts';

export type Machine = {
  /** Runs a shell script on the machine. @returns its exit code, and what it printed, errors as well */
  run(script: string): Promise<{ code: number; text: string }>;
  /**
   * The same for a script of which every command must succeed.
   * @returns what it printed, without the line break at its end
   * @throws Error with what it printed
   */
  must(script: string): Promise<string>;
  stop(): Promise<void>;
};

/** For a script: repeats a command until it succeeds. */
export const retry = (command: string) =>
  `n=0; until ${command}; do n=$((n + 1)); [ $n -lt ${limit(100)} ]; sleep 0.1; done`;

const SYSTEMD = '/lib/systemd/systemd';
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

/**
 * Becomes the first process of the machine. The root is an overlay, so that writes stay in memory;
 * /proc/sys and /sys are read-only, because they are the kernel's and so everyone's; and it is moved
 * to with pivot_root(2), since a service in a chroot may not have user namespaces. Where this system is
 * a container, its mark goes, because the machine is none.
 */
const BOOT = `set -e
mount --make-rprivate /
mount -t tmpfs tmpfs "$1"
root=$1/root
mkdir "$1/up" "$1/work" "$1/groups" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/up,workdir=$1/work" "$root"
mount -t cgroup2 none "$1/groups"
mkdir -p "$1/groups/$2"
echo $$ > "$1/groups/$2/cgroup.procs"
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,ro,bind "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
rm -f "$root/.dockerenv"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for name in ${DEVICES.join(' ')}; do touch "$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"; done
mkdir "$root/dev/shm" "$root/dev/pts" "$root/dev/mqueue"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
mkdir "$root/machine"
mount --bind "$3" "$root/machine"
ip link set lo up
exec unshare --cgroup --mount sh -c '
  mount -t cgroup2 none "$1/sys/fs/cgroup"
  cd "$1"
  mkdir .old
  pivot_root . .old
  cd /
  umount -l /.old
  mount --make-rshared /
  exec env container=test ${SYSTEMD} --system --unit=basic.target --log-target=null --show-status=no
' sh "$root"
`;

/** Removes the control groups that the machine leaves, once its processes have ended. */
const CLEAN = `mount -t cgroup2 none "$1"
for try in $(seq 50); do
  find "$1/$2" -depth -type d -exec rmdir {} + 2> /dev/null
  [ -d "$1/$2" ] || break
  sleep 0.1
done`;

/**
 * @param folder what the machine has at /machine
 * @returns null where this system cannot run one
 */
export async function startMachine(folder: string): Promise<Machine | null> {
  if (process.getuid?.() !== 0 || !Bun.which('systemctl')) return null;
  const home = temporaryFolder();
  const script = join(home, 'boot.sh');
  const mount = join(home, 'machine');
  mkdirSync(mount);
  writeFileSync(script, BOOT);
  const group = `signalbox-test-${process.pid}`;
  const apart = ['--net', '--mount', '--pid', '--uts', '--ipc', '--fork', '--mount-proc'];
  const child = Bun.spawn(
    ['unshare', ...apart, '--kill-child', 'sh', script, mount, group, folder],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
  );

  async function stop(): Promise<void> {
    child.kill('SIGKILL');
    await child.exited;
    Bun.spawnSync(['unshare', '--mount', 'sh', '-c', CLEAN, 'sh', mount, group]);
    rmSync(home, { recursive: true, force: true });
  }

  /** The machine's first process, which its parent has replaced itself with. */
  const first = (): string => {
    const children = `/proc/${child.pid}/task/${child.pid}/children`;
    return Bun.spawnSync(['cat', children]).stdout.toString().trim();
  };

  async function run(command: string) {
    const spaces = ['-m', '-n', '-p', '-u', '-i', '-C', '-r', '-w/'];
    const shell = Bun.spawn(
      ['nsenter', '-t', first(), ...spaces, 'sh', '-c', `cd /\nexec 2>&1\n${command}`],
      { cwd: '/', stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' },
    );
    const [text, code] = await Promise.all([shell.stdout.text(), shell.exited]);
    return { code, text };
  }

  async function must(command: string) {
    const { code, text } = await run(`set -e\n${command}`);
    if (code !== 0) throw new Error(`${command}\nended with ${code}: ${text}`);
    return text.trim();
  }

  const isUp = async () => (await run('systemctl is-active basic.target')).text.trim() === 'active';
  try {
    await until(async () => child.exitCode !== null || (await isUp()), 'systemd');
  } catch {
    await stop();
    return null;
  }
  if (child.exitCode === null) return { run, must, stop };
  await stop();
  return null;
}
