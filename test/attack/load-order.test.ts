// proof: attack
/** Requests that come in while a large one is worked on are answered before it. There is no clock here. */
import { expect, test } from 'bun:test';
import { forFile } from '../harness/for-file.ts';
import { startOwner } from '../harness/owner.ts';
import { limit } from '../harness/speed.ts';
import { ask } from '../harness/stack.ts';

const SITES = 1_000;
const LIGHT = 5;

const owner = await forFile(startOwner());

const preamble = (await owner.call('GET', '/preamble')).body.config;

const domains = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, at) => `http://${prefix}${at}.example`);
const file = () =>
  `${preamble}\n${domains('i', SITES)
    .map((domain) => `${domain} {\n\trespond a\n}\n`)
    .join('')}`;
const MIB = 1024 * 1024;

test.each<[string, () => [path: string, body: object], number]>([
  [
    'an import of one long word',
    () => ['/import', { proxyfile: `http://w.example {\nrespond ${'a'.repeat(MIB)}\n}` }],
    200,
  ],
  ['an import', () => ['/import', { proxyfile: file() }], 200],
  [
    'hundreds of changes',
    () => {
      const operations = domains('b', SITES / 2).map((domain) => ({
        op: 'create',
        domain,
        config: 'respond a',
      }));
      return ['/vhosts/bulk', { operations }];
    },
    200,
  ],
  [
    'a restore',
    () => {
      const vhosts = domains('r', SITES).map((domain) => ({
        domain,
        config: 'respond a',
        upstream: '',
        enabled: true,
      }));
      return ['/restore?replace=true', { version: 1, preamble, vhosts }];
    },
    200,
  ],
])(
  '%s keeps no other request waiting until its end',
  async (_, make, status) => {
    const [path, body] = make();
    let isOver = false;
    const heavy = owner.call('POST', path, body).finally(() => {
      isOver = true;
    });
    let answered = 0;
    while (!isOver && answered < LIGHT) {
      expect((await ask(`${owner.stack.hub}/health`)).status).toBe(200);
      if (!isOver) answered++;
    }
    // The first may come before the heavy one is even read.
    expect(answered).toBeGreaterThan(1);
    expect((await heavy).status).toBe(status);
  },
  limit(90_000),
);
