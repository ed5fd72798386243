/** The metrics of all features together. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { readExposition } from '../harness/exposition.ts';
import { forFile } from '../harness/for-file.ts';
import { startOwner } from '../harness/owner.ts';
import { ask, hasFeature } from '../harness/stack.ts';

const owner = await forFile(startOwner());
await owner.create('a', 'respond a');
test.skipIf(!hasFeature('metrics'))('docs/metrics.md lists exactly these metrics', async () => {
  const text = await Bun.file(join(import.meta.dir, '../../docs/metrics.md')).text();
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => row.split('|')[1]?.match(/\w+/g) ?? []);
  const { stack } = owner;
  const urls = [stack.hub.replace(/\/api$/, ''), stack.agent].map((base) => `${base}/metrics`);
  const answers = await Promise.all(urls.map((url) => ask(url)));
  const exposed = answers.flatMap((answer) => [...readExposition(answer.text).keys()]);
  expect([...new Set(exposed)].toSorted()).toEqual(named.toSorted());
});
