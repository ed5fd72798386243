/** A network of its own, with nothing but loopback, in which ports 80 and 443 are free. */
import { until } from './stack.ts';
import { isRoot } from './unprivileged.ts';

export type OwnNetwork = {
  /** What a command line starts with so that the rest runs in it. */
  prefix: readonly string[];
  /** Runs a shell script in it, which must succeed. @returns what it printed */
  run: (script: string) => Promise<string>;
  stop: () => Promise<void>;
};

/**
 * @param apart what else is its own: options of `unshare`
 * @param begin commands of a shell that run in it first
 * @returns null where this system cannot make one, which takes root
 */
export async function startOwnNetwork(
  apart: readonly string[] = [],
  begin = ':',
): Promise<OwnNetwork | null> {
  if (!isRoot || Bun.which('unshare') === null || Bun.which('ip') === null) return null;
  const script = `ip link set lo up && ${begin} && echo up && exec cat`;
  const child = Bun.spawn(['unshare', '--net', ...apart, 'sh', '-c', script], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const reader = child.stdout.getReader();
  const first = await reader.read();
  reader.releaseLock();
  if (new TextDecoder().decode(first.value) !== 'up\n') return null;
  const prefix = ['nsenter', '-t', String(child.pid), '-n', '--'];
  return {
    prefix,
    async run(script) {
      const shell = Bun.spawn([...prefix, 'sh', '-ec', script], { stdout: 'pipe', stderr: 'pipe' });
      const [out, err, code] = await Promise.all([
        new Response(shell.stdout).text(),
        new Response(shell.stderr).text(),
        shell.exited,
      ]);
      if (code !== 0) throw new Error(`${script}: ${err}${out}`);
      return out;
    },
    async stop() {
      // `unshare --fork` ignores others.
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

/** A Caddy in that network that someone else runs, as Debian's caddy.service does after installation. */
export async function startDebiansCaddy({ prefix, run }: OwnNetwork): Promise<Bun.Subprocess> {
  const child = Bun.spawn([...prefix, 'caddy', 'respond', '--listen', ':80', '--body', 'Debian'], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  await until(
    () =>
      run('curl -s http://127.0.0.1/').then(
        (text) => text === 'Debian',
        () => false,
      ),
    'the other Caddy',
  );
  return child;
}
