/** `/apply` with several agents: what is placed where, who falls behind, and what a plan says of that. */
import { expect, test } from 'bun:test';
import type { Outcome } from '../../../src/features/apply/plan.ts';
import { startFleet } from '../../harness/fleet.ts';
import { forFile } from '../../harness/for-file.ts';
import type { Body } from '../../harness/owner.ts';

const fleet = await forFile(startFleet(['edge']));
type Applied = Omit<Outcome, 'before' | 'after'> & Body & { group?: number; behind?: string[] };
const apply = (document: object, query = '') =>
  fleet.call<Applied>('POST', `/apply${query}`, { source: 'home', ...document });
const site = (text: string, more: object = {}) => ({ config: `respond ${text}`, ...more });
const document = (text: string, more: object = {}) => ({
  sites: {
    'http://both.example': site(text, more),
    'http://edge.example': site(text, { agents: ['edge'] }),
    'http://local.example': site(text, { agents: ['local'] }),
  },
});
const served = (name: string, text: string) => fleet.served(name, `${text}.example`);
/** A plan, then the same for good; both are refused the same way. */
async function both(given: object, query = '') {
  const plan = await apply({ ...given, dryRun: true }, query);
  const done = await apply(given, query);
  expect([plan.status, plan.body.code, plan.body.field, plan.body.published]).toEqual([
    done.status,
    done.body.code,
    done.body.field,
    done.body.published,
  ]);
  return done;
}

test('sites go where the document places them, and move with it', async () => {
  expect((await both(document('one'))).status).toBe(200);
  const all = async () =>
    Promise.all(
      ['local', 'edge'].map((agent) =>
        Promise.all(['both', 'edge', 'local'].map((name) => served(agent, name))),
      ),
    );
  expect(await all()).toEqual([
    ['one', '', 'one'],
    ['one', 'one', ''],
  ]);
  const moved = { sites: { 'http://both.example': site('one', { agents: ['edge'] }) } };
  expect((await both(moved)).body.changes).toEqual([
    { op: 'update', kind: 'site', name: 'http://both.example', fields: ['agents'] },
  ]);
  expect(await all()).toEqual([
    ['', '', 'one'],
    ['one', 'one', ''],
  ]);
  const unknown = await both({ sites: { 'http://both.example': site('one', { agents: ['x'] }) } });
  expect([unknown.status, unknown.body.field]).toEqual([
    400,
    'sites["http://both.example"].agents',
  ]);
});

test('with an agent away, the others get it, a plan says the same, and `require=all` refuses both', async () => {
  expect((await both(document('two'))).status).toBe(200);
  await fleet.other('edge').stopOnly();
  await fleet.untilState('edge', 'unreachable');

  const before = (await fleet.call('GET', '/vhosts')).text;
  const refused = await both(document('three'), '?require=all');
  expect([refused.status, refused.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
  expect((await fleet.call('GET', '/vhosts')).text).toBe(before);
  expect(await served('local', 'both')).toBe('two');

  const none = { sites: { 'http://edge.example': site('three', { agents: ['edge'] }) } };
  expect([(await both(none)).body.code]).toEqual(['AGENT_UNREACHABLE']);
  const tagged = document('two', { tags: ['a'] });
  const unseen = await both(tagged, '?require=all');
  expect([unseen.status, unseen.body.code, unseen.body.published]).toEqual([200, undefined, false]);

  const done = await both(document('three'));
  expect([done.status, done.body.behind]).toEqual([200, ['edge']]);
  expect(await served('local', 'both')).toBe('three');
  const again = await both(document('three'), '?require=all');
  expect([again.status, again.body.changes]).toEqual([200, []]);

  await fleet.other('edge').restart();
  await fleet.untilState('edge', 'in-step');
  expect(await served('edge', 'edge')).toBe('three');
});
