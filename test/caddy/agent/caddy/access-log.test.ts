/** An access log that is removed or moved, with each Caddy. */
import { afterEach, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { socketOf } from '../../../../agent/caddy/identity.ts';
import { separateUser } from '../../../../agent/caddy/process/user.ts';
import { createProxy, type ProxyControl } from '../../../../agent/caddy/proxy.ts';
import { PACE } from '../../../../agent/pace.ts';
import { createWarnings } from '../../../../agent/warnings.ts';
import { readSettings } from '../../../../src/program/config.ts';
import { caddiesOf } from '../../../harness/caddys.ts';
import { ask, freePort, machine, until } from '../../../harness/stack.ts';
import { isRoot, openFolder } from '../../../harness/unprivileged.ts';

const after: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of after.splice(0).reverse()) await undo();
});

/** A managed Caddy; as root it has a user of its own. */
async function start() {
  const { folder, home } = openFolder(process.getuid?.() ?? 0);
  after.push(() => rmSync(folder, { recursive: true }));
  const dataDir = join(home, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const token = 'x'.repeat(40);
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
  const { proxy: given } = readSettings('all', env, machine).agent;
  const { file } = given.accessLog;
  const user = isRoot
    ? separateUser({
        ...given,
        folder: join(dataDir, 'caddy'),
        socket: socketOf(given.admin),
        accessLog: file,
        passwd: '',
      })
    : null;
  if (typeof user === 'string') throw new Error(user);
  const settings = { ...given, user, pace: { ...PACE, accessLog: 20 } };
  const warnings = createWarnings(() => {});
  const proxy = createProxy(settings, token, () => {}, warnings);
  await proxy.start();
  after.push(() => proxy.stop());
  const port = freePort();
  const text = `http://a.example:${port} {\nrespond x\n}\n`;
  await proxy.reload(text);

  /** Sends requests until one is in the log. */
  const isLogged = (path: string, timeout?: number) =>
    until(
      async () => {
        await ask(`http://127.0.0.1:${port}${path}`, { headers: { Host: 'a.example' } });
        return existsSync(file) && readFileSync(file, 'utf8').includes(path);
      },
      `${path} in the log`,
      timeout,
    );
  const reload = (more: string) => proxy.reload(`${text}# ${more}\n`);
  return { proxy, file, dataDir, user, isLogged, reload, warnings };
}

const removedOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    const stat = statSync(`/proc/${pid}/fd/${name}`, { throwIfNoEntry: false });
    return stat?.isFile() && stat.nlink === 0 ? stat.size : [];
  });
const digestOf = async (proxy: ProxyControl) => (await proxy.status()).liveDigest;

test('logs again after its log, or the folder of it, was removed', async () => {
  const { proxy, file, dataDir, user, isLogged, reload, warnings } = await start();
  await isLogged('/before');
  const live = await digestOf(proxy);
  expect(warnings.list()).toEqual([]);
  for (const [round, gone] of [file, dirname(file), file, dirname(file)].entries()) {
    rmSync(gone, { recursive: true });
    await isLogged(`/after-${round}`);
    expect(statSync(dirname(file)).uid).toBe(user?.uid ?? process.getuid?.() ?? 0);
  }
  expect(await digestOf(proxy)).toBe(live);
  expect(warnings.list()).toEqual([expect.stringContaining('The access log was removed')]);
  const [caddy] = caddiesOf(dataDir, 'caddy');
  await until(() => removedOf(caddy?.pid ?? 0).every((size) => size === 0), 'the space');
  // A publish does not go back to the file that is gone.
  await reload('changed');
  await isLogged('/published');
});

test('logs again after its log was moved away', async () => {
  const { file, isLogged } = await start();
  await isLogged('/before');
  const moved = `${file}.moved`;
  await until(async () => {
    renameSync(file, moved);
    const isBack = await isLogged('/after', 500).catch(() => false);
    // The agent has to have seen it before.
    if (!isBack) renameSync(moved, file);
    return isBack;
  }, 'a new log');
  expect(readFileSync(moved, 'utf8')).toContain('/before');
});
