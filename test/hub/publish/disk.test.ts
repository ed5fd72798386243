/** A disk that is full or read-only, and a limit on the size of files. */
import { afterEach, describe, expect, setSystemTime, test } from 'bun:test';
import { existsSync, mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FULL } from '../../harness/full.ts';
import { fill, mayMount, mountSmall, remount, unmount } from '../../harness/mount.ts';
import { type Program, runProgram } from '../../harness/program.ts';
import {
  type Answer,
  ask,
  freePort,
  portSettings,
  type Stack,
  signUp,
  startStack,
  temporaryFolder,
  until,
} from '../../harness/stack.ts';

type Body = { code?: string; detail?: string };

let stack: Stack | undefined;
let mounted: string[] = [];
afterEach(async () => {
  setSystemTime();
  await stack?.stop().catch(() => {});
  stack = undefined;
  for (const folder of mounted) unmount(folder);
  mounted = [];
});

async function everything(of: Stack, headers: Record<string, string>) {
  return {
    list: (await ask(`${of.hub}/vhosts`, { headers })).text,
    log: (await ask(`${of.hub}/changelog`, { headers })).text,
    file: of.readProxyfile(),
    served: (await of.served('kept.example')).text,
  };
}

/** KiB: from too little for a page of the database to enough for all that a change writes. */
const FREE = FULL ? [0, 8, 16, 24, 32, 48, 64, 96, 128] : [0, 16, 48, 128];

const create = (of: Stack, headers: Record<string, string>, name: string): Promise<Answer<Body>> =>
  ask(`${of.hub}/vhosts`, {
    json: { domain: `http://${name}.example`, config: `# ${'x'.repeat(20_000)}\nrespond ${name}` },
    headers,
  });

describe.skipIf(!mayMount)('a separate disk', () => {
  test('that is more or less full makes changes fail, loses nothing, lets read, and recovers', async () => {
    const folder = temporaryFolder();
    expect(mountSmall(folder, 'size=24m')).toBe(true);
    mounted = [folder];
    const of = await startStack({}, folder);
    stack = of;
    const { headers } = await signUp(of);
    expect((await create(of, headers, 'kept')).status).toBe(201);
    let refusals = 0;
    for (const [at, free] of FREE.entries()) {
      const before = await everything(of, headers);
      const empty = fill(folder, free * 1024);
      const answer = await create(of, headers, `new-${at}`);
      empty();
      if (answer.status === 201) continue;
      refusals++;
      expect([answer.status, answer.body.code]).toEqual([507, 'STORAGE_UNAVAILABLE']);
      expect(answer.text).not.toContain(folder);
      await until(
        async () => (await ask<{ inStep: boolean }>(`${of.hub}/status`, { headers })).body.inStep,
      );
      expect(await everything(of, headers)).toEqual(before);
    }
    expect(refusals).toBeGreaterThan(1);
    expect((await create(of, headers, 'after')).status).toBe(201);
    expect((await of.served('after.example')).text).toBe('after');
    const before = await everything(of, headers);
    await of.restart();
    expect(await everything(of, headers)).toEqual(before);

    // Sessions and tokens may read, although their use cannot be stored.
    const token = await ask<{ token: string }>(`${of.hub}/tokens`, {
      json: { name: 'monitoring' },
      headers,
    });
    // The session is old enough to be extended.
    setSystemTime(new Date(Date.now() + 2 * 24 * 60 * 60 * 1000));
    fill(folder);
    for (const bearer of [headers, { Authorization: `Bearer ${token.body.token}` }]) {
      for (const path of ['status', 'vhosts', 'changelog', 'logs']) {
        expect((await ask(`${of.hub}/${path}`, { headers: bearer })).status).toBe(200);
      }
    }
    expect((await create(of, headers, 'new')).body.code).toBe('STORAGE_UNAVAILABLE');
  });

  test('that holds the proxyfile and is read-only does the same', async () => {
    const folder = temporaryFolder();
    const etc = join(folder, 'etc');
    expect(mountSmall(etc, 'size=4m')).toBe(true);
    mounted = [etc];
    const of = await startStack({ PROXYFILE: join(etc, 'Caddyfile') }, folder);
    stack = of;
    const { headers } = await signUp(of);
    expect((await create(of, headers, 'kept')).status).toBe(201);
    const before = await everything(of, headers);
    expect(remount(etc, 'ro')).toBe(true);
    const refused = await create(of, headers, 'new');
    expect([refused.status, refused.body.code]).toEqual([507, 'STORAGE_UNAVAILABLE']);
    expect(await everything(of, headers)).toEqual(before);
    remount(etc, 'rw');
    expect((await create(of, headers, 'new')).status).toBe(201);
    const after = await everything(of, headers);
    await of.restart();
    expect(await everything(of, headers)).toEqual(after);
  });
});

test('a folder in place of a file is named, and no obstacle once it is gone', async () => {
  const of = await startStack();
  stack = of;
  const { headers } = await signUp(of);
  expect((await create(of, headers, 'kept')).status).toBe(201);
  for (const end of ['', '.candidate', '.signalbox']) {
    const path = of.proxyfile + end;
    const aside = existsSync(path) ? `${path}.aside` : null;
    if (aside !== null) renameSync(path, aside);
    mkdirSync(path);
    const name = `new${end}`;
    const refused = await create(of, headers, name);
    expect([refused.status, refused.body.code]).toEqual([507, 'STORAGE_UNAVAILABLE']);
    expect(refused.body.detail).toContain(`Caddyfile${end}: it is a folder, not a file`);
    expect(refused.text).not.toContain(of.folder);
    expect((await of.served('kept.example')).text).toBe('kept');
    rmdirSync(path);
    if (aside !== null) renameSync(aside, path);
    expect((await create(of, headers, name)).status).toBe(201);
    expect((await of.served(`${name}.example`)).text).toBe(name);
  }
  await of.restart();
  const status = await ask(`${of.hub}/status`, { headers });
  expect(status.body).toMatchObject({ foreign: false, drift: false });
});

test('a limit on the size of files has the effect of a full disk', async () => {
  const folder = temporaryFolder();
  const port = freePort();
  const limited: Program = runProgram(
    [],
    portSettings(port),
    folder,
    // In blocks of 512 bytes: the database fits, a larger proxyfile does not.
    { before: 'ulimit -f 1600' },
  );
  const hub = `${await limited.address('hub')}/api`;
  const { headers } = await signUp({ hub });
  const served = () => ask(`http://127.0.0.1:${port}/`, { headers: { Host: 'kept.example' } });
  const small = { domain: 'http://kept.example', config: 'respond kept' };
  expect((await ask(`${hub}/vhosts`, { json: small, headers })).status).toBe(201);
  const large = { domain: 'http://large.example', config: `# ${'x'.repeat(900_000)}\nrespond x` };
  const refused = await ask<Body>(`${hub}/vhosts`, { json: large, headers });
  expect([refused.status, refused.body.code]).toEqual([507, 'STORAGE_UNAVAILABLE']);
  expect((await served()).text).toBe('kept');
  const list = await ask<unknown[]>(`${hub}/vhosts`, { headers });
  expect(list.body.length).toBe(1);
  const next = { domain: 'http://next.example', config: 'respond next' };
  expect((await ask(`${hub}/vhosts`, { json: next, headers })).status).toBe(201);
  limited.child.kill('SIGTERM');
  expect((await limited.exited()).code).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});
