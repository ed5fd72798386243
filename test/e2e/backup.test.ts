/** `signalbox backup` beside a running hub. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS } from '../../src/hub/db/migrate.ts';
import { giveToOwner } from '../../src/hub/db/replace.ts';
import { layGoldenDatabase } from '../harness/golden-db.ts';
import { mayMount, mountSmall } from '../harness/mount.ts';
import { type Program, runProgram } from '../harness/program.ts';
import { ask, freePort, signUp, temporaryFolder, until } from '../harness/stack.ts';

// A dozen processes of the program in one test, on a machine that may be busy.
setDefaultTimeout(60_000);

const TODAY = MIGRATIONS.length;
const folder = temporaryFolder();
const dataDir = join(folder, 'data');
const live = join(dataDir, 'signalbox.db');
/** Taken when there was one site; a second one came later. */
const file = join(folder, 'kept.db');
const never = join(folder, 'never.db');
const port = freePort();
const env = {
  HUB_PORT: '0',
  AGENT_PORT: '0',
  PROXY_HTTP_PORT: String(port),
  PROXY_HTTPS_PORT: String(freePort()),
};
const running = new Set<Program>();
let hub: string;
let headers: Record<string, string>;

const run = (args: string[], more: { cwd?: string; before?: string } = {}) =>
  runProgram(args, {}, more.cwd ?? folder, more.before ? { before: more.before } : {}).exited();
const served = async (host: string) =>
  (await ask(`http://127.0.0.1:${port}/`, { headers: { Host: host } }).catch(() => null))?.text;
const create = (name: string) =>
  ask(`${hub}/vhosts`, {
    json: { domain: `http://${name}.example`, config: `respond ${name}` },
    headers,
  });

async function start(cwd = folder): Promise<Program> {
  const program = runProgram([], env, cwd);
  running.add(program);
  hub = `${await program.address('hub')}/api`;
  return program;
}
async function stop(program: Program): Promise<void> {
  program.child.kill('SIGTERM');
  expect((await program.exited()).code).toBe(0);
  running.delete(program);
}
/** A copy of a database, changed. */
function changed(from: string, script: string): string {
  const to = join(folder, `${Bun.randomUUIDv7()}.db`);
  copyFileSync(from, to);
  const sqlite = new Database(to);
  sqlite.run(script);
  sqlite.close();
  return to;
}

let program: Program;
beforeAll(async () => {
  program = await start();
  ({ headers } = await signUp({ hub }));
  expect((await create('first')).status).toBe(201);
  expect((await run(['backup', file])).code).toBe(0);
  expect((await create('second')).status).toBe(201);
});
afterAll(async () => {
  for (const each of running) {
    each.child.kill('SIGTERM');
    await each.exited();
  }
  rmSync(folder, { recursive: true, force: true });
});

describe('signalbox backup', () => {
  test('refuses what is no place for it, and leaves nothing there', async () => {
    expect((await run(['backup'])).code).toBe(2);
    expect((await run(['backup', never, '--nonsense'])).code).toBe(2);
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    const none = await run(['backup', never], { cwd: elsewhere });
    expect([none.code, none.out]).toEqual([1, '']);
    expect(none.err).toContain('there is no database in');
    expect(readdirSync(elsewhere)).toEqual([]);
    const nowhere = await run(['backup', join(folder, 'no/such/file')]);
    expect([nowhere.code, nowhere.err]).toEqual([
      1,
      `signalbox backup: there is no folder ${folder}/no/such\n`,
    ]);
    expect((await run(['backup', elsewhere])).err).toContain('is not a file');
    const itself = await run(['backup', live, '--force']);
    expect([itself.code, itself.err]).toEqual([
      1,
      `signalbox backup: ${live} is the database itself\n`,
    ]);
    expect(readdirSync(folder).filter((name) => name.startsWith('never'))).toEqual([]);
  });

  test('copies what is committed while the hub runs, for its owner alone', async () => {
    const to = join(folder, 'copy.db');
    const done = await run(['backup', to]);
    expect([done.code, done.out, done.err]).toEqual([
      0,
      `${to}: 2 sites, 1 account, schema version ${TODAY}\n`,
      '',
    ]);
    expect(statSync(to).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
  });

  test('is consistent in the midst of changes', async () => {
    const domains = Array.from({ length: 20 }, (_, at) => `http://n${at}.example`);
    let done = false;
    const changes = (async () => {
      for (const domain of domains) {
        await ask(`${hub}/vhosts`, { json: { domain, config: 'respond n' }, headers });
      }
      done = true;
    })();
    const counts: number[] = [];
    while (!done) {
      const to = join(folder, 'midst.db');
      expect((await run(['backup', to, '--force'])).code).toBe(0);
      const sqlite = new Database(to, { readonly: true });
      const count = (text: string) => Object.values(sqlite.query(text).get() as object)[0];
      const made = count("SELECT count(*) FROM changelog WHERE action = 'create'");
      expect(made).toBe(count('SELECT count(*) FROM vhosts'));
      counts.push(made);
      sqlite.close();
    }
    await changes;
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    for (const domain of domains) {
      const list = await ask<{ id: number; domain: string }[]>(`${hub}/vhosts`, { headers });
      const id = list.body.find((vhost) => vhost.domain === domain)?.id;
      await ask(`${hub}/vhosts/${id}`, { method: 'DELETE', headers });
    }
  });

  test('changes go on beside a program that reads on and on and writes the log back itself', async () => {
    // As Litestream does: a read transaction that is always open, and checkpoints of its own.
    const reader = new Database(live);
    const other = new Database(live);
    for (const each of [reader, other]) each.run('PRAGMA busy_timeout = 1000');
    reader.run('BEGIN');
    reader.query('SELECT count(*) FROM vhosts').get();
    for (let at = 0; at < 10; at++) {
      const made = await ask<{ id: number }>(`${hub}/vhosts`, {
        json: { domain: 'http://beside.example', config: 'respond b' },
        headers,
      });
      expect(made.status).toBe(201);
      other.run('PRAGMA wal_checkpoint(PASSIVE)');
      const gone = await ask(`${hub}/vhosts/${made.body.id}`, { method: 'DELETE', headers });
      expect(gone.status).toBe(200);
      reader.run('COMMIT');
      other.run('PRAGMA wal_checkpoint(TRUNCATE)');
      reader.run('BEGIN');
      reader.query('SELECT count(*) FROM vhosts').get();
    }
    reader.close();
    other.close();
  });

  test('replaces a file only when it is told to, and goes to standard output', async () => {
    writeFileSync(join(folder, 'mine'), 'mine');
    const refused = await run(['backup', join(folder, 'mine')]);
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.err).toContain('exists; --force replaces it');
    expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('mine');
    expect((await run(['backup', join(folder, 'mine'), '--force'])).code).toBe(0);
    expect(readFileSync(join(folder, 'mine'), 'latin1')).toStartWith('SQLite format 3\0');

    const child = Bun.spawnSync(
      [process.execPath, join(import.meta.dir, '../../src/main.ts'), 'backup', '-'],
      { cwd: folder },
    );
    expect(child.exitCode).toBe(0);
    expect(child.stderr.toString()).toContain('backup: 2 sites, 1 account');
    writeFileSync(join(folder, 'piped.db'), child.stdout);
    const sqlite = new Database(join(folder, 'piped.db'), { readonly: true });
    expect(sqlite.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
    sqlite.close();
    expect(readdirSync(dataDir).filter((name) => name.includes('sending'))).toEqual([]);
  });

  test('goes whole through a pipe that is slower than it', async () => {
    const big = join(folder, 'big');
    layGoldenDatabase(1, join(big, 'data'), { http: port, https: freePort() });
    const sqlite = new Database(join(big, 'data/signalbox.db'));
    sqlite.run('UPDATE vhosts SET config = hex(randomblob(2000000))');
    sqlite.close();
    const main = join(import.meta.dir, '../../src/main.ts');
    const reader = 'until ls data/*.sending; do :; done >/dev/null 2>&1; cat > piped.db';
    const shell = `set -o pipefail; "$0" "${main}" backup - | { ${reader}; }`;
    const child = Bun.spawn(['bash', '-c', shell, process.execPath], { cwd: big, stderr: 'pipe' });
    expect(await child.stderr.text()).toBe('backup: 3 sites, 2 accounts, schema version 1\n');
    expect(await child.exited).toBe(0);
    const piped = new Database(join(big, 'piped.db'), { readonly: true });
    expect(piped.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
    piped.close();
    expect(readdirSync(join(big, 'data')).toSorted()).toEqual(['signalbox.db']);
  });

  test.skipIf(!mayMount)('says that a disk is full, and leaves no half file', async () => {
    const small = join(folder, 'small');
    expect(mountSmall(small, '32k')).toBe(true);
    try {
      const full = await run(['backup', join(small, 'full.db')]);
      expect([full.code, full.out, full.err]).toEqual([
        1,
        '',
        'signalbox backup: the disk is full\n',
      ]);
      expect(readdirSync(small)).toEqual([]);
    } finally {
      Bun.spawnSync(['umount', '-l', small]);
    }
  });
});

describe('signalbox restore', () => {
  const refused = async (from: string, reason: string) => {
    const before = readFileSync(live);
    const names = readdirSync(dataDir).toSorted();
    const { code, out, err } = await run(['restore', from]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(reason);
    expect(readFileSync(live).equals(before)).toBe(true);
    expect(readdirSync(dataDir).toSorted()).toEqual(names);
  };

  test('refuses while a hub runs', async () => {
    expect((await run(['restore'])).code).toBe(2);
    await refused(file, 'another hub is using the data folder');
    expect(await served('first.example')).toBe('first');
  });

  test('refuses what is no database of signalbox, damaged or newer, and changes nothing', async () => {
    await stop(program);
    await refused(join(folder, 'never-there'), 'never-there cannot be read');
    const text = join(folder, 'text');
    writeFileSync(text, 'notes '.repeat(100));
    await refused(text, `${text} is not a SQLite database`);
    writeFileSync(text, '');
    await refused(text, `${text} is not a database of signalbox`);
    const foreign = changed(file, 'DROP TABLE preamble');
    await refused(foreign, `${foreign} is not a database of signalbox`);
    const newer = changed(file, 'PRAGMA user_version = 999');
    await refused(
      newer,
      `${newer} has schema version 999, which a newer version of signalbox wrote; this one knows versions up to ${TODAY}`,
    );
    const damaged = changed(file, 'PRAGMA user_version = 1');
    const bytes = readFileSync(damaged);
    bytes.fill(0x5a, 4096, 3 * 4096);
    writeFileSync(damaged, bytes);
    await refused(damaged, 'is damaged');
    for (const [type, made] of [
      ['trigger', 'TRIGGER t AFTER DELETE ON sessions BEGIN DELETE FROM users; END'],
      ['view', 'VIEW v AS SELECT 1'],
    ] as const) {
      const scheming = changed(file, `CREATE ${made}`);
      await refused(scheming, `${scheming} is not a database of signalbox alone: it has a ${type}`);
    }
    const half = join(folder, 'half.db');
    writeFileSync(half, readFileSync(file).subarray(0, 5 * 4096));
    await refused(half, 'is damaged');
  });

  test('brings back sites, accounts and passwords, ends sessions, and keeps what was there', async () => {
    const done = await run(['restore', file]);
    expect([done.code, done.err]).toEqual([0, '']);
    expect(done.out).toContain(`1 site, 1 account, schema version ${TODAY}`);
    const kept = /kept as (\S+)/.exec(done.out)?.[1] ?? '';
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    expect(statSync(live).mode & 0o777).toBe(0o600);
    const names = readdirSync(dataDir).filter((name) => /restoring|-wal|-shm/.test(name));
    expect(names).toEqual([]);
    const old = new Database(kept, { readonly: true });
    expect(old.query('SELECT domain FROM vhosts').values()).toEqual([
      ['http://first.example'],
      ['http://second.example'],
    ]);
    old.close();

    program = await start();
    await until(async () => (await served('first.example')) === 'first', 'the restored site');
    await until(async () => (await served('second.example')) !== 'second', 'the later one gone');
    expect((await ask(`${hub}/vhosts`, { headers })).status).toBe(401);
    const signedIn = await ask<{ token: string }>(`${hub}/auth/sign-in/email`, {
      json: { email: 'ada@example.org', password: 'a long passphrase' },
    });
    expect(signedIn.status).toBe(200);
    headers = { Authorization: `Bearer ${signedIn.body.token}` };
    await stop(program);

    // And the same with what was kept.
    expect((await run(['restore', kept])).code).toBe(0);
    program = await start();
    await until(async () => (await served('second.example')) === 'second', 'the site kept');
    await stop(program);
  });

  test('refuses while something else has the database open', async () => {
    const sqlite = new Database(live);
    sqlite.query('SELECT * FROM users').all();
    const { code, out, err } = await run(['restore', file]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('another program has the database open');
    sqlite.close();
    expect(readdirSync(dataDir).filter((name) => name.includes('restoring'))).toEqual([]);
  });

  test('works from standard input on a machine that never had a hub, where the sites are served', async () => {
    const fresh = join(folder, 'fresh');
    mkdirSync(fresh);
    const main = join(import.meta.dir, '../../src/main.ts');
    const child = Bun.spawnSync([process.execPath, main, 'restore', '-'], {
      cwd: fresh,
      stdin: readFileSync(file),
    });
    expect([child.exitCode, child.stderr.toString()]).toEqual([0, '']);
    expect(child.stdout.toString()).not.toContain('kept as');
    const there = await start(fresh);
    await until(async () => (await served('first.example')) === 'first', 'the site');
    // The account is there: nobody else becomes the owner.
    expect(there.output.out).not.toContain('sign-up');
    const { status } = await ask(`${hub}/auth/sign-up/email`, {
      json: { name: 'Eve', email: 'eve@example.org', password: 'a long passphrase' },
    });
    expect(status).toBe(403);
    await stop(there);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'as root it works for whom the folder belongs to',
    async () => {
      const into = join(folder, 'of-nobody');
      mkdirSync(join(into, 'data'), { recursive: true });
      chownSync(join(into, 'data'), 65534, 65534);
      expect((await run(['restore', file], { cwd: into })).code).toBe(0);
      const owners = () =>
        readdirSync(join(into, 'data')).map((name) => statSync(join(into, 'data', name)).uid);
      expect(owners()).toEqual([65534, 65534]);
      expect((await run(['restore', file], { cwd: into })).code).toBe(0);
      expect((await run(['backup', join(into, 'out.db')], { cwd: into })).code).toBe(0);
      expect(owners()).toEqual([65534, 65534, 65534]);
    },
  );

  test.skipIf(process.getuid?.() !== 0)(
    'as root it gives nothing to the user of the folder that a link there leads to',
    async () => {
      const into = join(folder, 'of-a-schemer');
      mkdirSync(join(into, 'data'), { recursive: true });
      chownSync(join(into, 'data'), 65534, 65534);
      const target = join(folder, 'root-owned');
      symlinkSync(target, join(into, 'data/hub.lock'));
      const { code, err } = await run(['restore', file], { cwd: into });
      expect([code, err]).toEqual([1, expect.stringContaining('hub.lock is a symbolic link')]);
      expect(existsSync(target)).toBe(false);

      // What is there only after one has looked.
      writeFileSync(target, '');
      giveToOwner(join(into, 'data/hub.lock'));
      expect(statSync(target).uid).toBe(0);
    },
  );

  test('takes the log of a database that was copied with it', async () => {
    const other = join(folder, 'with-log');
    layGoldenDatabase(1, other, { http: port, https: freePort() });
    const from = join(other, 'signalbox.db');
    const sqlite = new Database(from);
    sqlite.run("UPDATE vhosts SET upstream = 'late' WHERE id = 1");
    const copy = join(folder, 'late.db');
    copyFileSync(from, copy);
    copyFileSync(`${from}-wal`, `${copy}-wal`);
    sqlite.close();
    const into = join(folder, 'late');
    mkdirSync(into);
    const done = await run(['restore', copy], { cwd: into });
    expect([done.code, done.err]).toEqual([0, '']);
    expect(done.out).toContain('schema version 1');
    const back = new Database(join(into, 'data/signalbox.db'), { readonly: true });
    expect(back.query('SELECT upstream FROM vhosts WHERE id = 1').values()).toEqual([['late']]);
    back.close();
    // What was restored from is as it was.
    expect(existsSync(`${copy}-wal`)).toBe(true);
  });

  test('replaces a database that is damaged beyond opening', async () => {
    const into = join(folder, 'damaged');
    mkdirSync(join(into, 'data'), { recursive: true });
    chmodSync(join(into, 'data'), 0o700);
    writeFileSync(join(into, 'data/signalbox.db'), 'x'.repeat(9000));
    writeFileSync(join(into, 'data/signalbox.db-wal'), 'y'.repeat(9000));
    const done = await run(['restore', file], { cwd: into });
    expect([done.code, done.err]).toEqual([0, '']);
    const kept = /kept as (\S+)/.exec(done.out)?.[1] ?? '';
    expect(readFileSync(kept, 'utf8')).toBe('x'.repeat(9000));
    expect(readFileSync(`${kept}-wal`, 'utf8')).toBe('y'.repeat(9000));
    expect(existsSync(join(into, 'data/signalbox.db-wal'))).toBe(false);
  });
});
