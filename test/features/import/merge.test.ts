/** Importing a file onto a hub that has sites already. */
import { describe, expect, test } from 'bun:test';
import type { ImportAnswer } from '../../../src/features/import/schemas.ts';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';

type Imported = ImportAnswer & Body;

const post = (proxyfile: string, more: object = {}) =>
  owner.call<Imported>('POST', '/import', { proxyfile, ...more });
const site = (name: string, text = name) => `http://${name}.example {\n\trespond ${text}\n}\n`;
const SNIPPET = '(shared) {\n\theader X here\n}\n';
const OTHER = '(shared) {\n\theader X file\n}\n';
const list = async () => (await owner.call<Body[]>('GET', '/vhosts')).body;
const entries = async () => (await owner.changelog()).map(({ action, domain }) => [action, domain]);

const owner = await forFile(startOwner());
const { body } = await owner.call('GET', '/preamble');
const config = `${body.config.replace('{\n', '{\n\tgrace_period 3s\n')}\n\n${SNIPPET}`;
await owner.call('PUT', '/preamble', { config });
await owner.create('one', 'import shared\nrespond one');
await owner.create('two');
await owner.create('three');
describe('without being asked to', () => {
  test.each([
    ['a site that is there with other content', site('one', 'else'), 'DOMAIN_TAKEN', 'taken'],
    ['a snippet that differs', OTHER + site('new'), 'PREAMBLE_DIFFERS', '"preamble": "keep"'],
    [
      'an option that differs',
      `{\n\tgrace_period 9s\n}\n${site('new')}`,
      'PREAMBLE_DIFFERS',
      '"preamble": "keep"',
    ],
  ])('an import does not replace %s', async (_, file, code, hint) => {
    const before = await owner.everything();
    for (const dryRun of [true, false]) {
      const { status, body } = await post(file, { dryRun });
      expect([status, body.code]).toEqual([409, code]);
      expect(body.hint).toContain(hint);
    }
    expect(await owner.everything()).toEqual(before);
  });

  test('it replaces nothing by a choice about something else', async () => {
    const before = await owner.everything();
    const differs = `{\n\tgrace_period 9s\n}\n${OTHER}${site('new')}`;
    const half = await post(differs, { preamble: { grace_period: 'file' } });
    expect([half.body.code, half.body.detail]).toEqual([
      'PREAMBLE_DIFFERS',
      'differs between hub and file: (shared)',
    ]);
    const file = site('one', 'else') + site('two', 'else');
    const other = await post(file, { replace: ['http://one.example'] });
    expect([other.status, other.body.code]).toEqual([409, 'DOMAIN_TAKEN']);
    expect(other.body.detail).toStartWith('in http://two.example: ');
    const wrong = await post(file, { replace: ['http://on.example'], taken: 'skip' });
    expect([wrong.status, wrong.body.field]).toEqual([400, 'replace']);
    expect(wrong.body.hint).toBe('Did you mean http://one.example?');
    for (const more of [{ taken: 'yes' }, { preamble: 'both' }, { preamble: { a: 'x' } }]) {
      expect((await post(file, more)).status).toBe(400);
    }
    expect(await owner.everything()).toEqual(before);
  });
});

describe('an import onto sites that are there', () => {
  test('of what Caddy serves changes nothing, and keeps what is off', async () => {
    const before = await owner.everything();
    const { status, body } = await post(before.file);
    expect([status, body.detail]).toEqual([200, undefined]);
    expect(body.merge.sites.map(({ action }) => action)).toEqual(['keep', 'keep', 'keep']);
    expect(body.merge.preamble.every(({ state }) => state === 'same')).toBe(true);
    expect(body.vhosts.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(await owner.everything()).toEqual(before);
  });

  test('of a file without a preamble keeps the present one', async () => {
    const preamble = (await owner.everything()).preamble;
    const { status, body } = await post(site('four') + site('two'));
    expect([status, body.vhosts.map(({ id }) => id)]).toEqual([200, [4, 2]]);
    expect((await owner.everything()).preamble).toBe(preamble);
    expect((await entries())[0]).toEqual(['create', 'http://four.example']);
    expect(await owner.served('four')).toBe('four');
  });

  test('shows everything on a dry run', async () => {
    await owner.call('PATCH', '/vhosts/4/toggle');
    const before = await owner.everything();
    const file = `{\n\tdebug\n}\n${OTHER}${site('new')}${site('one', 'else')}${site('two')}${site('four')}`;
    const options = { dryRun: true, taken: 'skip', preamble: 'keep' };
    const { status, body } = await post(file, options);
    expect([status, body.detail]).toEqual([200, undefined]);
    expect(body.merge.sites).toMatchObject([
      { domain: 'http://new.example', action: 'create', vhosts: [], diff: '' },
      { domain: 'http://one.example', action: 'skip', vhosts: [{ id: 1, enabled: true }] },
      {
        domain: 'http://two.example',
        action: 'keep',
        vhosts: [{ id: 2, enabled: true }],
        diff: '',
      },
      { domain: 'http://four.example', action: 'skip', vhosts: [{ id: 4, enabled: false }] },
    ]);
    expect(body.merge.sites[1]?.diff).toContain('-\trespond one\n+\trespond else\n');
    const parts = body.merge.preamble.filter(({ name }) => ['debug', '(shared)'].includes(name));
    expect(parts).toMatchObject([
      { name: '(shared)', state: 'differs', side: 'keep' },
      { name: 'debug', state: 'new', side: 'file', diff: '' },
    ]);
    expect(parts[0]?.diff).toContain('-\theader X here\n+\theader X file\n');
    expect(await owner.everything()).toEqual(before);
  });

  test('skips and replaces as it is told to, and keeps ids and history', async () => {
    const file = `${OTHER}${site('one', 'replaced')}${site('two', 'skipped')}${site('four')}`;
    const options = { taken: 'skip', replace: ['http://ONE.example', 'http://four.example'] };
    const { status, body } = await post(file, { ...options, preamble: { '(shared)': 'file' } });
    expect([status, body.detail]).toEqual([200, undefined]);
    expect(body.vhosts.map(({ id }) => id)).toEqual([1, 4]);
    expect(await Promise.all(['one', 'two', 'four'].map(owner.served))).toEqual([
      'replaced',
      'two',
      'four',
    ]);
    expect((await entries()).slice(0, 3)).toEqual([
      ['update', 'http://four.example'],
      ['update', 'http://one.example'],
      ['update', '(preamble)'],
    ]);
    const { config } = (await owner.call('GET', '/preamble')).body;
    expect(config).toContain('header X file');
    expect(config).toContain('grace_period 3s');
    const undone = (await owner.changelog())[1]?.id;
    expect((await owner.call('POST', `/changelog/${undone}/revert`)).status).toBe(200);
    expect(await owner.served('one')).toBe('one');
  });

  test('replaces all sites whose addresses one of the file lists', async () => {
    const both = 'http://two.example, http://three.example {\n\trespond both\n}\n';
    const { status, body } = await post(both, { taken: 'replace' });
    expect([status, body.vhosts]).toMatchObject([200, [{ id: 2, domain: 'http://two.example' }]]);
    expect(body.merge.sites[0]?.vhosts.map(({ id }) => id)).toEqual([2, 3]);
    expect(await owner.served('three')).toBe('both');
    expect((await list()).map(({ id }) => id).toSorted()).toEqual([1, 2, 4]);
  });

  test('takes no policy off an address, and shows those that others get', async () => {
    const wall = { recipe: 'block', values: { networks: ['127.0.0.1', '::1'], status: 451 } };
    const policy = (name: string, more = {}) =>
      owner.call('POST', '/policies', { name, ...wall, ...more });
    const statuses = (...names: string[]) =>
      Promise.all(names.map(async (name) => (await owner.stack.served(`${name}.example`)).status));
    const guarded = (name: string, more: object) =>
      owner.call('POST', '/vhosts', {
        domain: `http://${name}.example`,
        config: `respond ${name}`,
        ...more,
      });
    const own = await policy('own');
    await guarded('g-1', {});
    await guarded('g-2', { policies: ['own'] });
    await guarded('g-5', {
      config: 'http://g-5.example, http://g-6.example {\n\trespond 5\n}',
      policies: ['own'],
    });
    const everywhere = await policy('wall', { everywhere: true });
    await guarded('g-3', { except: ['wall'] });
    await guarded('g-4', {});
    for (const name of ['g-1', 'g-5']) {
      const { id } = (await list()).find(({ domain }) => domain === `http://${name}.example`) ?? {};
      await owner.call('PUT', `/vhosts/${id}`, { except: ['wall'] });
    }
    expect(await statuses('g-1', 'g-2', 'g-3', 'g-4', 'g-5', 'g-6')).toEqual([
      200, 451, 200, 451, 451, 451,
    ]);

    const merged = (one: string, other: string) =>
      `http://${one}.example, http://${other}.example {\n\trespond merged\n}\n`;
    const file = `${merged('g-1', 'g-2')}${merged('g-3', 'g-4')}${site('g-5')}${site('g-6')}`;
    const dry = await post(file, { taken: 'replace', dryRun: true });
    const [one, two] = dry.body.merge.sites;
    expect(one?.diff).toContain(' # policies: wall, own\n');
    expect(two?.diff).toContain(' # policies: wall\n');
    const { status, body } = await post(file, { taken: 'replace' });
    expect([status, body.detail]).toEqual([200, undefined]);
    expect(await statuses('g-1', 'g-2', 'g-3', 'g-4', 'g-5', 'g-6')).toEqual([
      451, 451, 451, 451, 451, 451,
    ]);
    for (const { id, domain } of await list()) {
      if (domain.includes('g-')) await owner.call('DELETE', `/vhosts/${id}`);
    }
    await owner.call('PUT', `/policies/${everywhere.body.id}`, { everywhere: false });
    for (const { id } of [own.body, everywhere.body]) {
      expect((await owner.call('DELETE', `/policies/${id}`)).status).toBe(200);
    }
  });
});
