// proof: program
/** `signalbox logs`: the access log for scripts and people on the host. */
import { describe, expect, test } from 'bun:test';
import { domainFilter, lineOf, queryOf } from '../../../src/program/cli/api/logs.ts';
import { createPaint } from '../../../src/program/paint.ts';
import { forFile } from '../../harness/for-file.ts';
import { createOperator } from '../../harness/operator.ts';
import { MAIN, runProgram } from '../../harness/program.ts';
import { ask, until } from '../../harness/stack.ts';

const operator = await forFile(createOperator());
const logs = (...args: string[]) => operator.run(['logs', ...args]);
const visit = (host: string, path: string) =>
  ask(`http://127.0.0.1:${operator.port}${path}`, {
    headers: { Host: host, 'User-Agent': 'kettle/1' },
  });
const pathsIn = (out: string): string[] =>
  out
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { path: string }).path);

let hub = await operator.start();
await operator.run(['site', 'add', 'http://a.example', '--config', '-'], {
  input: '@no path /no*\nrespond @no no 404\nrespond a\n',
});

describe('signalbox logs', () => {
  test('says what the hub refuses', async () => {
    for (const args of [
      ['--status', 'bad'],
      ['--since', 'yesterday', '-f'],
      ['--on', 'nobody'],
    ]) {
      const { code, out, err } = await logs(...args);
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/^signalbox logs: .* \((INVALID_REQUEST|NOT_FOUND)\)\n/);
    }
  });

  test('prints the newest that match, newest last', async () => {
    expect((await logs()).out).toBe('');
    for (const path of ['/1', '/2/x?y=1', '/no', '/3']) await visit('a.example', path);
    await visit('b.example', '/1');
    const all = await until(async () => {
      const { out } = await logs('--json');
      return pathsIn(out).length === 5 && out;
    }, 'the log');
    expect(pathsIn(all)).toEqual(['/1', '/2/x', '/no', '/3', '/1']);
    const some = async (...args: string[]) => pathsIn((await logs('--json', ...args)).out);
    expect(await some('-n', '2')).toEqual(['/3', '/1']);
    expect(await some('-n', '0')).toEqual([]);
    expect(await some('--site', 'http://A.example:80', '--since', '1h')).toHaveLength(4);
    expect(await some('--status', '4xx', '--method', 'get')).toEqual(['/no']);
    expect(await some('--path', '/2', '--ip', '127.0.0.1', '--user-agent', 'KETTLE')).toEqual([
      '/2/x',
    ]);
    expect(await some('--search', '/x', '--until', '1h')).toEqual([]);
    const { code, out, err } = await logs('--status', '404', '--on', 'local');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^\S+Z 404 GET +[\d.]+ms 127\.0\.0\.1 {7}a\.example\/no\n$/);
  });

  test('follows the log over a restart of the hub, and ends with Ctrl+C', async () => {
    const following = runProgram(['logs', '-f', '-n', '2', '--json'], {}, operator.folder);
    const { output } = following;
    const arrived = (count: number) =>
      until(() => pathsIn(output.out).length >= count, `${count} entries (${output.err})`);
    await arrived(2);
    await visit('a.example', '/4');
    await arrived(3);
    hub.program.child.kill('SIGTERM');
    await hub.program.exited();
    await until(() => output.err.includes('waiting'), 'the follower to notice');
    hub = await operator.start();
    await until(() => output.err.includes('again'), 'the follower to come back');
    await until(async () => (await operator.served('a.example')) === 'a', 'the site');
    await visit('a.example', '/5');
    await until(() => output.out.includes('"/5"'), 'an entry after the restart');
    following.child.kill('SIGINT');
    const { code, out, err } = await following.exited();
    expect([code, err]).toEqual([
      0,
      'The hub does not answer; waiting for it.\nFollowing the log again.\n',
    ]);
    // Nothing twice, nothing missing.
    expect(pathsIn(out).filter((path) => path !== '/')).toEqual(['/3', '/1', '/4', '/5']);
  });

  test('stops following when nobody reads it any more', async () => {
    const piped = 'set -o pipefail; "$@" logs -f -n 1 | head -n 1; echo $?';
    const child = Bun.spawn(['bash', '-c', piped, 'bash', process.execPath, MAIN], {
      cwd: operator.folder,
      stdout: 'pipe',
    });
    let isOver = false;
    void child.exited.then(() => {
      isOver = true;
    });
    // A closed pipe is noticed when something is written to it.
    await until(async () => {
      await visit('a.example', '/6');
      return isOver;
    }, 'the end');
    expect(await new Response(child.stdout).text()).toMatch(/^\S+Z 200 .*\n0\n$/);
  });

  test('prints more than a page of the API', async () => {
    const paths = Array.from({ length: 501 }, (_, at) => `/many/${at}`);
    await Promise.all(paths.map((path) => visit('a.example', path)));
    const all = await until(async () => {
      const { out } = await logs('--json', '-n', '600', '--path', '/many/');
      return pathsIn(out).length === paths.length && pathsIn(out);
    }, 'the log');
    expect(all.toSorted()).toEqual(paths.toSorted());
    expect(pathsIn((await logs('--json', '-n', '501')).out)).toEqual(all);
  });
});

describe('the filters', () => {
  const NOW = Date.parse('2026-11-20T18:00:00Z');
  const query = (given: Record<string, string>) =>
    Object.fromEntries(queryOf({ value: (name) => given[name] }, NOW));

  test('take times before now', () => {
    expect(query({ since: '2h', until: '90s' })).toEqual({
      from: '2026-11-20T16:00:00.000Z',
      to: '2026-11-20T17:58:30.000Z',
    });
    expect(query({ since: '2026-11-19', search: '2h' })).toEqual({ from: '2026-11-19', q: '2h' });
  });

  test('name all hosts of a site, and any other', () => {
    const sites = ['a.example b.example', 'http://c.example:8080 [::1]:80', ':9090'].map((all) => {
      const [domain = '', ...more] = all.split(' ');
      return { domain, addresses: [domain, ...more] };
    });
    const filters = ['A.example', 'c.example', 'b.example', '[::1]:80', '::1', 'http://d.example'];
    expect(filters.map((name) => domainFilter(name, sites))).toEqual([
      'a.example b.example',
      'c.example [::1]',
      'b.example',
      '[::1]',
      '::1',
      'd.example',
    ]);
    expect(() => domainFilter(':9090', sites)).toThrow('no filter can name');
  });
});

describe('a line', () => {
  const entry = {
    timestamp: '2026-11-20T18:00:00.123Z',
    domain: 'a.example\u001b[2J',
    method: 'G\n',
    path: '/\u202e',
    status: 502,
    latency: '1.2ms',
    ip: '192.0.2.7',
    agent: 'vps',
  };

  test('shows control characters, and has colours only on a terminal', () => {
    const plain = lineOf(entry, createPaint(false, {}));
    expect(plain).toBe(
      '2026-11-20T18:00:00.123Z 502 G\\u000a      1.2ms 192.0.2.7       vps a.example\\u001b[2J/\\u202e\n',
    );
    expect(lineOf(entry, createPaint(true, {}))).toContain(' \u001b[31m502\u001b[39m ');
  });
});
