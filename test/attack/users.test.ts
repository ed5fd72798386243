/** Which user runs what, whose folders are whose, and which .env counts. */
import { afterEach, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Program, QUICK_MAIN, runProgram } from '../harness/program.ts';
import { ask, portSettings, signUp, temporaryFolder, until } from '../harness/stack.ts';
import { asUser, isRoot, mayBeNobody, NOBODY, openFolder } from '../harness/unprivileged.ts';

const programs: Program[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const { child } of programs.splice(0)) {
    child.kill('SIGTERM');
    await child.exited;
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function run(env: Record<string, string>, cwd: string, prefix: string[] = []): Program {
  const program = runProgram([], env, cwd, { prefix });
  programs.push(program);
  return program;
}
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe.skipIf(!isRoot)('as root', () => {
  test('a log that Caddy’s user cannot write is a warning, or refused in plain words', async () => {
    const { folder, home } = openFolder(0);
    folders.push(folder);
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const env = {
      ...portSettings(),
      DATA_DIR: join(home, 'data'),
      PROXY_BIN: Bun.which('caddy') ?? '',
    };
    const hub = `${await run(env, home).address('hub')}/api`;
    const owner = await signUp({ hub });
    const create = (name: string, file: string) =>
      ask<{ warnings?: { code: string; message: string }[]; detail?: string }>(`${hub}/vhosts`, {
        json: {
          domain: `http://${name}.example`,
          config: `log {\n\toutput file ${file}\n}\nrespond ok`,
        },
        ...owner,
      });
    const bad = join(closed, 'deep', 'access.log');
    const { status, body, text } = await create('bad', bad);
    expect(text).not.toContain('FileWriter');
    if (status === 201) {
      expect(body.warnings).toMatchObject([{ code: 'LOG_NOT_WRITTEN' }]);
      expect(body.warnings?.[0]?.message).toContain(bad);
      const seen = await ask<{ warnings: string[] }>(`${hub}/status`, owner);
      expect(seen.body.warnings.join()).toContain(`cannot write the log ${bad}`);
    } else {
      expect(body.detail).toBe(
        `line 2: Caddy’s user cannot write the log ${bad}: permission denied`,
      );
    }
    const good = await create('good', join(home, 'data', 'logs', 'good.log'));
    expect([good.status, good.body.warnings]).toEqual([201, []]);
  });

  test('a Caddy with a user of its own takes changes after its storage was removed', async () => {
    const { folder, home } = openFolder(0);
    folders.push(folder);
    const data = join(home, 'data');
    const env = { ...portSettings(), DATA_DIR: data, PROXY_BIN: Bun.which('caddy') ?? '' };
    const hub = `${await run(env, home).address('hub')}/api`;
    const owner = await signUp({ hub });
    const site = (name: string) => ({
      domain: `https://${name}.localhost:${env.PROXY_HTTPS_PORT}`,
      config: 'tls internal\nrespond ok',
    });
    const create = (name: string) => ask(`${hub}/vhosts`, { json: site(name), ...owner });
    expect((await create('a')).status).toBe(201);
    const { uid } = statSync(join(data, 'caddy/data'));
    expect(uid).not.toBe(0);
    for (const name of ['data', 'validate']) {
      rmSync(join(data, 'caddy', name), { recursive: true, force: true });
    }
    const changed = await create('b');
    expect([changed.status, changed.text]).toEqual([201, changed.text]);
    expect(statSync(join(data, 'caddy/data')).uid).toBe(uid);
  });

  test('Caddy gets a user of its own as soon as it can, also in folders of a Caddy that ran as root', async () => {
    const { folder, home } = openFolder(0);
    folders.push(folder);
    const data = join(home, 'data');
    // A PATH without setpriv: as on a system that does not have it.
    const path = join(folder, 'bin');
    mkdirSync(path);
    symlinkSync(process.execPath, join(path, 'bun'));
    const env = { ...portSettings(), DATA_DIR: data, PROXY_BIN: Bun.which('caddy') ?? '' };
    const site = {
      domain: `https://a.localhost:${env.PROXY_HTTPS_PORT}`,
      config: 'tls internal\nrespond {system.hostname}',
    };

    const shared = run({ ...env, PATH: path }, home);
    let hub = `${await shared.address('hub')}/api`;
    const owner = await signUp({ hub });
    expect((await ask(`${hub}/vhosts`, { json: site, ...owner })).status).toBe(201);
    const before = await ask<{ warnings: string[] }>(`${hub}/status`, owner);
    expect(before.body.warnings).toEqual([expect.stringContaining('setpriv')]);
    expect(shared.output.err.match(/Caddy runs as root/g)).toHaveLength(1);
    expect([modeOf(data), statSync(join(data, 'caddy/data')).uid]).toEqual(['700', 0]);
    // As after a crash: the next one finds root's Caddy running.
    shared.child.kill('SIGKILL');
    await shared.exited();
    programs.pop();

    const own = run(env, home);
    hub = `${await own.address('hub')}/api`;
    const after = await ask<{ warnings: string[] }>(`${hub}/status`, owner);
    expect(after.body.warnings).toEqual([]);
    // It may listen on ports below 1024 all the same.
    const low = { domain: 'http://low.example:83', config: 'respond low' };
    expect((await ask(`${hub}/vhosts`, { json: low, ...owner })).status).toBe(201);
    const lower = await ask('http://127.0.0.1:83/', { headers: { Host: 'low.example' } });
    expect(lower.text).toBe('low');
    const { uid, gid } = statSync(join(data, 'caddy/run/admin.sock'));
    expect(uid).not.toBe(0);
    for (const name of ['caddy/data/caddy/pki', 'caddy/validate', 'logs']) {
      await until(() => statSync(join(data, name), { throwIfNoEntry: false })?.uid === uid, name);
    }
    const { uid: root, gid: group } = statSync(data);
    expect([modeOf(data), root, group]).toEqual(['710', 0, gid]);
    for (const name of ['signalbox.db', 'agent-token', 'hub.sock']) {
      expect([name, statSync(join(data, name)).uid, modeOf(join(data, name))]).toEqual([
        name,
        0,
        '600',
      ]);
    }
    // It still signs with the authority that root made.
    const vhosts = await ask<object[]>(`${hub}/vhosts`, owner);
    expect(vhosts.body).toHaveLength(2);
    const served = await until(
      () =>
        fetch(`https://127.0.0.1:${env.PROXY_HTTPS_PORT}/`, {
          headers: { Host: `a.localhost:${env.PROXY_HTTPS_PORT}` },
          tls: { rejectUnauthorized: false, serverName: 'a.localhost' },
        }).catch(() => null),
      'the site',
    );
    expect(served.status).toBe(200);

    // Its own Caddy, on the other hand, it keeps.
    own.child.kill('SIGKILL');
    await own.exited();
    programs.pop();
    const next = run(env, home);
    // An answer means that it also listens for signals by now.
    await ask(`${await next.address('hub')}/api/health`);
    expect(next.output.err).toContain('proxy adopted');
  });
});

test.skipIf(!isRoot)('a folder for the socket that someone else made is not taken', async () => {
  const { folder, home } = openFolder(0);
  folders.push(folder);
  const data = join(home, 'd'.repeat(60), 'e'.repeat(60));
  const victim = join(folder, 'victim');
  mkdirSync(victim);
  writeFileSync(join(victim, 'file'), '');
  const env = { ...portSettings(), DATA_DIR: data, TMPDIR: folder };
  // The first start names the folder; a stranger then puts a link in its place.
  const first = run(env, home);
  await ask(`${await first.address('agent')}/health`);
  first.child.kill('SIGTERM');
  await first.exited();
  const taken = readdirSync(folder).filter((name) => name.startsWith('signalbox-'));
  expect(taken.length).toBeGreaterThan(0);
  for (const name of taken) {
    rmSync(join(folder, name), { recursive: true });
    symlinkSync(victim, join(folder, name));
    lchownSync(join(folder, name), NOBODY, NOBODY);
  }
  const second = await run(env, home).exited();
  expect(second.code).toBe(1);
  expect([statSync(victim).uid, statSync(join(victim, 'file')).uid]).toEqual([0, 0]);
});

describe('folders', () => {
  test('are closed to others, also one that was open, which is why Caddy shares the user of root', async () => {
    const folder = temporaryFolder();
    folders.push(folder);
    const data = join(folder, 'data');
    mkdirSync(data);
    chmodSync(data, 0o755);
    const program = run({ ...portSettings(), DATA_DIR: data }, folder);
    const hub = `${await program.address('hub')}/api`;
    const owner = await signUp({ hub });
    const json = { domain: 'http://a.example', config: 'respond x' };
    expect((await ask(`${hub}/vhosts`, { json, ...owner })).status).toBe(201);
    expect(modeOf(data)).toBe('700');
    for (const name of ['Caddyfile', 'agent-token', 'signalbox.db', 'hub.lock']) {
      expect([name, modeOf(join(data, name))]).toEqual([name, '600']);
    }
    const { body } = await ask<{ warnings: string[] }>(`${hub}/status`, owner);
    const reasons = isRoot ? [expect.stringContaining('could not write to')] : [];
    expect(body.warnings).toEqual(reasons);
    const reading = { domain: 'http://b.example', config: `root * ${data}\nfile_server` };
    const refused = await ask<{ code: string }>(`${hub}/vhosts`, { json: reading, ...owner });
    expect(refused.body.code).toBe('PROXY_REJECTED');
  });
});

describe('a .env', () => {
  const SIGN_UP = 'SIGN_UP=open\n';
  async function secondSignUp(hub: string) {
    await signUp({ hub });
    const json = { name: 'Eve', email: 'eve@example.org', password: 'a long passphrase' };
    return (await ask<{ code?: string }>(`${hub}/auth/sign-up/email`, { json })).body.code;
  }

  test('in the data folder is ignored, and said to be', async () => {
    const folder = temporaryFolder();
    folders.push(folder);
    for (const at of [folder, join(folder, 'logs')]) {
      mkdirSync(at, { recursive: true });
      writeFileSync(join(at, '.env'), SIGN_UP);
      const program = run({ ...portSettings(), DATA_DIR: folder }, at);
      const code = await secondSignUp(`${await program.address('hub')}/api`).catch(() => 'taken');
      expect(['SIGN_UP_CLOSED', 'taken']).toContain(code ?? 'open');
      expect(program.output.err).toContain('.env in the working folder is ignored');
      program.child.kill('SIGTERM');
      await program.exited();
    }
  });

  test('that puts the data folder around itself is refused', async () => {
    const folder = temporaryFolder();
    folders.push(folder);
    writeFileSync(join(folder, '.env'), `${SIGN_UP}DATA_DIR=.\n`);
    const { code, err } = await run(portSettings(), folder).exited();
    expect([code, err]).toEqual([1, expect.stringContaining('DATA_DIR must not contain the .env')]);
  });

  test('in the working folder counts, and the environment counts more', async () => {
    const folder = temporaryFolder();
    folders.push(folder);
    writeFileSync(join(folder, '.env'), `${SIGN_UP}HUB_PORT=70000 # too high\n`);
    writeFileSync(join(folder, '.env.local'), 'SIGN_UP=perhaps\n');
    const program = run({ ...portSettings() }, folder);
    expect(await secondSignUp(`${await program.address('hub')}/api`)).toBeUndefined();
  });

  test.skipIf(!mayBeNobody)('beside the data cannot be written by a site', async () => {
    const { folder, home } = openFolder(NOBODY);
    folders.push(folder);
    const env = portSettings();
    const hub = `${await run(env, home, asUser(NOBODY)).address('hub')}/api`;
    const owner = await signUp({ hub });
    for (const path of [join(home, '.env'), QUICK_MAIN]) {
      const json = { domain: 'http://a.example', config: `log {\noutput file ${path}\n}` };
      const refused = await ask<{ code: string }>(`${hub}/vhosts`, { json, ...owner });
      expect(refused.body.code).toBe('PROXY_REJECTED');
    }
  });
});
