// proof: program
/** `signalbox import npm`, with the database of a real Nginx Proxy Manager. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forFile } from '../../../harness/for-file.ts';
import { createOperator } from '../../../harness/operator.ts';

const operator = await forFile(createOperator());
const { folder } = operator;
const at = (name: string) => join(folder, name);
const signalbox = (line: string, input?: string) =>
  operator.run(line.split(' '), input === undefined ? {} : { input });
const run = (...args: string[]) => operator.run(['import', 'npm', ...args]);
const siteLines = async () => (await signalbox('site list')).out.trim().split('\n').filter(Boolean);

const traces = () =>
  readdirSync(at('npm'), { recursive: true }).map((name) => {
    const found = statSync(at(`npm/${name}`), { bigint: true });
    const bytes = found.isFile() && Bun.hash(readFileSync(at(`npm/${name}`)));
    return { name, bytes, mtimeNs: found.mtimeNs };
  });

mkdirSync(at('npm/data'), { recursive: true });
for (const [from, to] of Object.entries({
  'database.sqlite': 'npm/data/database.sqlite',
  'nginx/custom': 'npm/data/nginx/custom',
  'database-2.10.sqlite': 'old.sqlite',
})) {
  cpSync(join(import.meta.dir, '../../../golden/npm', from), at(to), { recursive: true });
}
// Each password takes a second to hash.
const database = new Database(at('npm/data/database.sqlite'));
database.run("DELETE FROM access_list_auth WHERE username <> 'carol'");
database.close();
const before = traces();
await operator.start();
// No authority is asked.
await signalbox('import -', '{\n\tlocal_certs\n}\n');

test('says in a line what is wrong, and imports nothing', async () => {
  mkdirSync(at('empty'));
  const other = new Database(at('other.sqlite'));
  other.run('CREATE TABLE host (text)');
  other.close();
  for (const [path, reason] of [
    ['nowhere', 'nowhere cannot be read: there is no such file or folder'],
    ['empty', 'empty has no database.sqlite; if this NPM uses MySQL, MariaDB or PostgreSQL'],
    ['npm/data/nginx/custom/server_proxy.conf', 'is no SQLite database'],
    ['other.sqlite', '(INVALID_REQUEST)'],
  ] as const) {
    const { code, out, err } = await run(path);
    expect([code, out]).toEqual([1, '']);
    expect(err).toStartWith('signalbox import: ');
    expect(err).toContain(reason);
  }
  expect(await siteLines()).toEqual([]);
});

test('is what is meant by a database that is given as a Caddyfile', async () => {
  const { code, err } = await signalbox(`import ${at('old.sqlite')}`);
  expect([code, err]).toEqual([
    1,
    `signalbox import: ${at('old.sqlite')} is an SQLite database, not a Caddyfile\n  For Nginx Proxy Manager, run: signalbox import npm ${at('old.sqlite')}\n`,
  ]);
});

test('shows on a dry run what would be, in the order of what there is to do', async () => {
  const { code, out, err } = await run('npm', '--dry-run');
  expect(code).toBe(0);
  const headings = err.split('\n').filter((line) => /^[A-Z].*:$/.test(line));
  expect(headings).toEqual(['Off until you decide:', 'Different from before:', 'Good to know:']);
  // The same text once, with those that it is about.
  const texts = err.split('\n').filter((line) => line.startsWith('- '));
  expect(new Set(texts).size).toBe(texts.length);
  expect(err).toMatch(/^ {2}(?:\S+, ){4}\S+ and \d+ more$/m);
  expect(err).toMatch(
    /^- NPM also reads nginx\/custom\/http_top\.conf, security\.conf, server_proxy\.conf\. /m,
  );
  expect(err).toMatch(/^\d+ sites would be imported, \d+ off until you decide\n/m);
  expect(out).toContain('http://app.example.com {');
  expect(await siteLines()).toEqual([]);
  expect(traces()).toEqual(before);
});

test('imports all sites, and says what comes next', async () => {
  const { code, out, err } = await run('npm');
  expect(code).toBe(0);
  const [, count, off] = /^(\d+) sites imported, (\d+) off until you decide$/m.exec(err) ?? [];
  expect(out).toContain('\thttp://app.example.com\n');
  const lines = await siteLines();
  expect(lines).toHaveLength(Number(count));
  expect(out.trim().split('\n')).toHaveLength(Number(count));
  expect(Number(off)).toBeGreaterThan(0);
  // Others were off in NPM.
  const offNow = lines.filter((line) => line.endsWith('\toff')).length;
  expect(offNow).toBeGreaterThan(Number(off));
  expect(err).toMatch(
    new RegExp(
      `\nNext: try each site on Caddy's ports, ${operator.port} for HTTP and \\d+ for HTTPS\\. Then stop NPM, and run: signalbox ports --standard\n$`,
    ),
  );
  expect((await signalbox('api GET /certificates/kept')).out).toBe('[]\n');
  expect(traces()).toEqual(before);
});

test('imports nothing twice, and counts no site as off that somebody switched on', async () => {
  await signalbox('site on http://emptylist.example.com');
  const changes = (await signalbox('api GET /changelog')).out;
  const { code, err } = await run('npm');
  expect(code).toBe(0);
  const lines = await siteLines();
  expect(err).toMatch(
    new RegExp(
      `^0 sites imported, ${lines.length} the same as before, \\d+ off until you decide$`,
      'm',
    ),
  );
  expect(err).not.toContain('“Empty list”');
  expect(err).not.toContain('http://emptylist.example.com');
  expect((await signalbox('api GET /changelog')).out).toBe(changes);
});

test('replaces nothing unasked, and takes certificates only with the option', async () => {
  const sites = JSON.parse((await signalbox('site list --json')).out) as {
    id: number;
    domain: string;
  }[];
  const id = sites.find(({ domain }) => domain === 'http://app.example.com')?.id;
  writeFileSync(at('mine'), JSON.stringify({ config: 'respond mine\n' }));
  await signalbox(`api PUT /vhosts/${id} -f mine`);
  const refused = await run('npm');
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toContain('http://app.example.com already exists:\n');
  expect(refused.err).toContain('-\trespond mine\n+\treverse_proxy');
  expect(refused.err).toContain('(DOMAIN_TAKEN)');
  expect(refused.err).toEndWith(
    '  Use --replace, --replace-all or --skip-taken to decide about sites.\n',
  );
  const skipped = await run('npm', '--skip-taken', '--with-certificates');
  expect(skipped).toMatchObject({
    code: 0,
    err: expect.stringContaining('\nhttp://app.example.com: skipped\n'),
  });
  expect(await operator.served('app.example.com')).toBe('mine');
  const kept = (await signalbox('api GET /certificates/kept')).out;
  expect(kept).toContain('secure.example');
  expect(kept + skipped.err + skipped.out).not.toContain('PRIVATE KEY');

  const replaced = await run(at('npm/data/database.sqlite'), '--replace', 'http://app.example.com');
  expect(replaced).toMatchObject({
    code: 0,
    err: expect.stringContaining('\nhttp://app.example.com: replaced\n'),
  });
  expect(await operator.served('app.example.com')).not.toBe('mine');
  expect(traces()).toEqual(before);
});
