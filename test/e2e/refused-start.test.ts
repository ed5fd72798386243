// proof: program
/** What the program says if it cannot start, or is not healthy: which setting or file, and why. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FULL } from '../harness/full.ts';
import { fill, mayMount, mountSmall, remount, unmount } from '../harness/mount.ts';
import { refusal } from '../harness/operator.ts';
import { runProgram } from '../harness/program.ts';
import { ask, portSettings, temporaryFolder, until } from '../harness/stack.ts';
import { asUser, mayBeNobody, NOBODY } from '../harness/unprivileged.ts';

const folders: string[] = [];
let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  folders.push(folder);
});
afterAll(() => {
  for (const one of folders) rmSync(one, { recursive: true, force: true });
});

const run = (args: string[], env: Record<string, string> = {}, prefix: string[] = []) =>
  runProgram(args, env, folder, { prefix }).exited();

/** Starts the one-machine mode. */
const start = (env: Record<string, string>, prefix: string[] = []) =>
  run([], { ...portSettings(), ...env }, prefix);

const TOKEN = 'x'.repeat(32);

describe('an address to listen on is refused, and its setting named', () => {
  test('if the port is taken', async () => {
    const other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
    const taken = `port ${other.port} on 127.0.0.1 is taken by another program`;
    for (const of of ['HUB_PORT', 'AGENT_PORT']) {
      expect(await start({ [of]: String(other.port) })).toEqual(refusal(`${of}: ${taken}\n`));
    }
    other.stop(true);
  });

  test.skipIf(!mayBeNobody)('if the port is for root', async () => {
    chmodSync(folder, 0o777);
    const env = { HUB_PORT: '81', AGENT_TOKEN: TOKEN };
    const { code, err } = await run(['hub'], env, asUser(NOBODY));
    const forbidden = 'HUB_PORT: port 81 is forbidden: ports below 1024 are for root\n';
    expect([code, err]).toEqual([1, expect.stringContaining(forbidden)]);
  });

  test.each(['192.0.2.1', 'host.invalid', 'no host'])(
    'if %s is not an address here',
    async (host) => {
      const { code, err } = await start({ HUB_HOST: host });
      const foreign = `HUB_HOST: ${host} is not an address of this machine\n`;
      expect([code, err]).toEqual([1, expect.stringContaining(foreign)]);
    },
  );
});

describe('signalbox health says why', () => {
  test('if nothing listens', async () => {
    const { code, err } = await run(['health'], { HUB_PORT: '1' });
    expect(code).toBe(1);
    expect(err).toBe(
      'signalbox health: http://127.0.0.1:1/api/health refuses connections: nothing listens there\n',
    );
  });

  test('if something else answers', async () => {
    const fetch = () => new Response('', { status: 404 });
    const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch });
    expect(await run(['health', 'agent'], { AGENT_PORT: String(other.port) })).toEqual(
      refusal('answers with status 404\n'),
    );
    await other.stop(true);
  });
});

describe('.env is named', () => {
  test('if a line of it is none', async () => {
    writeFileSync(join(folder, '.env'), '# fine\nexport A="1\n2"\n B = 3 # fine\n\nHUB_PORT 0\n');
    const { code, err } = await start({});
    expect(code).toBe(1);
    expect(err).toContain('  line 6 of .env in the working folder is not NAME=value\n');
    writeFileSync(join(folder, '.env'), Buffer.alloc(40));
    expect((await start({})).err).toContain('  line 1 of .env');
  });

  test('if it is a folder', async () => {
    mkdirSync(join(folder, '.env'));
    expect(await start({})).toEqual(refusal('  .env in the working folder cannot'));
  });

  test.skipIf(!mayBeNobody)('if it cannot be read', async () => {
    chmodSync(folder, 0o777);
    writeFileSync(join(folder, '.env'), 'SIGN_UP=closed\n', { mode: 0o600 });
    expect(await start({}, asUser(NOBODY))).toEqual(refusal('  .env in the working folder cannot'));
  });
});

describe('a file or folder that is in the way is named', () => {
  const data = (...names: string[]) => join(folder, 'data', ...names);

  test.each(['agent-token', 'setup-code', 'hub.secret', 'hub.sock'])(
    '%s, a folder',
    async (name) => {
      mkdirSync(data(name), { recursive: true });
      const { code, err } = await start({});
      expect(code).toBe(1);
      expect(err).toContain(`cannot start: ${data(name)}: it is a folder, not a file\n`);
    },
  );

  test('the data folder, a file', async () => {
    writeFileSync(data(), '');
    const { code, err } = await start({});
    expect(code).toBe(1);
    expect(err).toContain(`cannot start: ${data()}: something else is in its place\n`);
  });

  test.skipIf(!mayBeNobody)('a folder that cannot be written to', async () => {
    chmodSync(folder, 0o711);
    const { code, err } = await start({}, asUser(NOBODY));
    expect(code).toBe(1);
    expect(err).toContain(`cannot start: ${data()}: permission denied\n`);
  });

  test.skipIf(!mayBeNobody)('a folder that the agent cannot replace the Caddyfile in', async () => {
    chmodSync(folder, 0o777);
    mkdirSync(join(folder, 'etc'));
    const env = {
      AGENT_PORT: '0',
      AGENT_TOKEN: TOKEN,
      PROXYFILE: join(folder, 'etc', 'Caddyfile'),
    };
    const { code, err } = await run(['agent'], env, asUser(NOBODY));
    expect(code).toBe(1);
    const etc = join(folder, 'etc');
    expect(err).toContain(`cannot start: the folder of PROXYFILE, ${etc}: permission denied\n`);
  });
});

describe.skipIf(!mayMount)('a disk', () => {
  const disk = () => join(folder, 'disk');
  const at = () => ({ DATA_DIR: join(disk(), 'data') });
  afterEach(() => {
    unmount(disk());
  });

  test('that is read-only is named', async () => {
    expect(mountSmall(disk(), 'size=1m')).toBe(true);
    remount(disk(), 'ro');
    const { code, err } = await start(at());
    expect(code).toBe(1);
    expect(err).toContain(`cannot start: ${at().DATA_DIR}: the file system is read-only\n`);
  });

  /** Its words for what is in the way, and never the system's own. */
  const inWords = (said: string | null) => {
    if (said !== null) expect(said).not.toMatch(/\bE[A-Z]{4,}\b|is wrong/);
  };

  test.each(FULL ? [0, 4, 16, 48, 80, 128, 200] : [0, 48, 128])(
    'with %d KiB left at the first start is no obstacle later',
    async (kib) => {
      expect(mountSmall(disk(), 'size=24m')).toBe(true);
      const empty = fill(disk(), kib * 1024);
      inWords(await startAndStop());
      empty();
      expect(await startAndStop()).toBeNull();
    },
  );

  test.each(FULL ? [5, 12, 16] : [12])(
    'with %d inodes at the first start is no obstacle later',
    async (inodes) => {
      expect(mountSmall(disk(), `size=24m,nr_inodes=${inodes}`)).toBe(true);
      inWords(await startAndStop());
      expect(remount(disk(), 'nr_inodes=1000')).toBe(true);
      expect(await startAndStop()).toBeNull();
    },
  );

  /** @returns what it said if it did not start, else null */
  async function startAndStop(): Promise<string | null> {
    const program = runProgram([], { ...portSettings(), ...at() }, folder);
    const url = await until(
      () =>
        /^agent listening on (\S+)$/m.exec(program.output.out)?.[1] ??
        (program.child.exitCode !== null && 'ended'),
    );
    // An answer means that it also listens for signals by now.
    if (url !== 'ended') await ask(`${url}/health`);
    program.child.kill('SIGTERM');
    const { code, err } = await program.exited();
    expect(code).toBe(url === 'ended' ? 1 : 0);
    return url === 'ended' ? err : null;
  }
});
