// proof: hub
/**
 * Random documents through a hub and its Caddy: a plan says what the apply then does, or is refused with the
 * same; the second apply and the export of the first change nothing; the undo brings back what was served.
 */
import { expect, test } from 'bun:test';
import type { Outcome } from '../../../../src/features/apply/plan.ts';
import { type ByHand, randomDocuments, type SomeDocument } from '../../../harness/documents.ts';
import { forFile } from '../../../harness/for-file.ts';
import { some } from '../../../harness/full.ts';
import { type Body, startOwner } from '../../../harness/owner.ts';
import { seededRandom } from '../../../harness/random.ts';
import { limit } from '../../../harness/speed.ts';

const PAIRS = some(30, 1_000, 'PAIRS');
const SEED = Number(process.env.PAIRS_SEED ?? 20261123);

type Applied = Omit<Outcome, 'before' | 'after'> & Body & { group?: number };
type Warning = { code: string; cure?: unknown };
type Site = Body & { updatedAt: string };

const owner = await forFile(startOwner());
// The hub has published from now on, and `IMPORT_FIRST` is no answer.
await owner.create('first');
const sites = async () => (await owner.call<Site[]>('GET', '/vhosts')).body;
const policies = async () =>
  (await owner.call<(Site & { name: string; recipe: string })[]>('GET', '/policies')).body;
const apply = (document: object) => owner.call<Applied>('POST', '/apply', document);

async function byHand(doing: ByHand): Promise<void> {
  if (doing.do === 'delete policy')
    return void (await owner.call('DELETE', `/policies/${doing.id}`));
  if (doing.do === 'vhost') {
    return void (await owner.call('POST', '/vhosts/bulk', { operations: [doing.operation] }));
  }
  const { op: _, id, ...json } = doing.operation;
  await owner.call(id ? 'PUT' : 'POST', id ? `/policies/${id}` : '/policies', json);
}

/** Everything but when it was changed, and what was noted about it since. */
async function settled() {
  const timeless = (all: Site[]) => all.map(({ updatedAt: _, ...rest }) => rest);
  return {
    sites: timeless(await sites()),
    policies: timeless(await policies()),
    file: owner.stack.readProxyfile(),
  };
}

/** Without what a plan cannot have: warnings of what visitors notice, which only a change is looked at for. */
function comparable({ warnings = [], ...body }: Body & { warnings?: readonly Warning[] }) {
  const planned = warnings.filter(({ code, cure }) => !cure && code !== 'UPSTREAM_DOWN');
  return { ...body, requestId: '', warnings: planned };
}

async function prove(document: SomeDocument): Promise<'refused' | 'changed' | 'nothing'> {
  const before = await settled();
  const noted = await owner.everything();
  const plan = await apply({ ...document, dryRun: true });
  expect(await owner.everything()).toEqual(noted);
  const done = await apply({ ...document, ...(plan.body.digest && { expects: plan.body.digest }) });
  const { group, ...said } = done.body;
  expect([done.status, comparable(said)]).toEqual([plan.status, comparable(plan.body)]);
  if (done.status !== 200) {
    expect(await owner.everything()).toEqual(noted);
    return 'refused';
  }
  const after = await owner.everything();
  expect(after.file === noted.file).toBe(done.body.diff === '');
  if (done.body.diff !== '') expect(done.body.published).toBeTrue();

  const again = await apply(document);
  expect([again.status, again.body.changes, again.body.published]).toEqual([200, [], false]);
  expect(await owner.everything()).toEqual(after);
  const { text } = await owner.call('GET', `/export?format=yaml&source=${document.source}`);
  const file = Bun.YAML.parse(text) as object;
  const out = await apply({ ...file, source: document.source, prune: true, dryRun: true });
  expect([out.status, out.body.published, out.body.diff]).toEqual([200, false, '']);
  if (group === undefined) return 'nothing';

  const undone = await owner.call('POST', `/changelog/groups/${group}/revert`);
  expect([undone.status, undone.text]).toEqual([200, expect.any(String)]);
  expect(await settled()).toEqual(before);
  return 'changed';
}

async function clear(): Promise<void> {
  const operations = (await sites()).map(({ id }) => ({ op: 'delete', id }));
  if (operations.length > 0) await owner.call('POST', '/vhosts/bulk', { operations });
  for (const { id } of await policies()) await owner.call('DELETE', `/policies/${id}`);
}

test(
  `${PAIRS} random pairs of documents are planned and applied alike (seed ${SEED})`,
  async () => {
    const tally = { refused: 0, changed: 0, nothing: 0 };
    for (let pair = 0; pair < PAIRS; pair++) {
      const random = seededRandom((SEED + pair) * 2_654_435_761);
      const documents = randomDocuments(random, ['local']);
      let step = 'start';
      try {
        await clear();
        await apply(documents.document());
        for (let at = random.below(3); at > 0; at--) {
          const doing = documents.byHand({ sites: await sites(), policies: await policies() });
          if (doing) await byHand(doing);
        }
        const document = documents.document();
        step = JSON.stringify(document);
        tally[await prove(document)]++;
      } catch (error) {
        console.log(`pair ${pair} of seed ${SEED}, in ${step}`);
        throw error;
      }
    }
    console.log(`${PAIRS} pairs, seed ${SEED}: ${JSON.stringify(tally)}`);
    expect(Math.min(tally.refused, tally.changed)).toBeGreaterThan(PAIRS / 10);
  },
  limit(60_000 + PAIRS * 3_000),
);
