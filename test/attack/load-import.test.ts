// proof: attack
/**
 * Texts made of what an import and a new site read in a second pass; with `--full`, as long as a request may be.
 * There is no clock here: whatever takes quadratic time does not finish before the test's end.
 */
import { expect, test } from 'bun:test';
import {
  comparePreambles,
  mergePreambles,
} from '../../src/features/import/caddyfile/merge-preambles.ts';
import { splitCaddyfile } from '../../src/features/import/caddyfile/split.ts';
import { normalize } from '../../src/hub/model/vhost.ts';
import { downUpstreams } from '../../src/hub/watch/problems/sites.ts';
import { withValues } from '../../src/shared/caddyfile/globals.ts';
import { forFile } from '../harness/for-file.ts';
import { some } from '../harness/full.ts';
import { startOwner } from '../harness/owner.ts';

const MIB = 1024 * 1024;
const filled = (unit: string, length: number) => unit.repeat(Math.floor(length / unit.length));
const options = (line: string, length = some(2, 4) * MIB) => `{\n${filled(`${line}\n`, length)}}\n`;

const owner = await forFile(startOwner());

test('many options that an import leaves out', async () => {
  const body = { proxyfile: `${options('admin off')}http://a.example {\n\tnonsense\n}` };
  const { status, body: refusal } = await owner.call('POST', '/import', body);
  expect([status, refusal.code]).toEqual([502, 'PROXY_REJECTED']);
  const split = await splitCaddyfile(`${options('storage x')}a.example {\n}`);
  expect([split?.preamble, split?.sites.length]).toEqual(['', 1]);
});

test('an option that both preambles have many times', () => {
  const [ours, theirs] = [options('order a first'), options('order b first')];
  expect(comparePreambles(ours, theirs, {}).length).toBe(1);
  expect(mergePreambles(ours, theirs, () => true, {})).toContain('order b first');
  expect(mergePreambles('{\n\tdebug\n}', theirs, () => true, {})).toContain('debug');
  expect(withValues(options('http_port 80'), { http_port: '81' })).not.toContain('80');
});

test('many names of sites to replace', async () => {
  const names = Array.from({ length: 500 }, (_, at) => `http://s${at}.example`);
  const proxyfile = names.map((name) => `${name} {\n\trespond a\n}\n`).join('');
  const replace = Array.from({ length: some(200_000, 500_000) }, () => 'http://S499.example');
  const body = { proxyfile, replace, dryRun: true };
  expect((await owner.call('POST', '/import', body)).status).toBe(200);
});

test.each(['\r', '\u2028', ' ', '\tmap\n', '\n'])(
  'a config of %j in which an upstream is missing',
  (unit) => {
    const config = `${filled(unit, MIB)}respond {upstream}`;
    expect(() => normalize('a.example', config, '')).toThrow('no upstream is set');
  },
);

test('a site with many upstreams that do not answer', () => {
  const upstreams = Array.from({ length: 50_000 }, (_, at) => {
    const address = `10.0.0.1:${at}`;
    return { address, up: false, error: { at: '2026-11-20T18:00:00.000Z', message: address } };
  });
  const site = { id: 1, domain: 'a.example', enabled: true, addresses: [], errors: { acme: null } };
  const [problem] = downUpstreams([{ ...site, upstreams }]);
  expect(problem?.message).toContain('10.0.0.1:9 and 49990 more do not answer');
  expect(problem?.message.length).toBeLessThan(1_000);
});

test('an object’s own names are no features of Caddy', async () => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    const proxyfile = `{\n\t${name}\n}\nhttp://o.example {\n\trespond a\n}`;
    const answers = [
      await owner.call('POST', '/import', { proxyfile }),
      await owner.call('POST', '/vhosts', { domain: 'http://o.example', config: name }),
    ];
    for (const { status, body, text } of answers) {
      expect([status, body.code]).toEqual([502, 'PROXY_REJECTED']);
      expect(text).not.toMatch(/native code|object Object/);
    }
  }
});
