// proof: docs
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogs } from '../../../agent/logs/logs.ts';
import { anyLine, line, random } from './lines.ts';
import { temporaryFolders } from './temp.ts';

const newFolder = temporaryFolders();
const jq = Bun.which('jq');

// The definition of an access entry, in jq.
const ENTRIES =
  'fromjson? | objects | select((.request | type) == "object" and (.status | type) == "number")' +
  ' | [.request.method // "", (.request.uri // "" | split("?")[0] // ""), .status]';

test.skipIf(!jq)('whole and cut lines are read as jq reads them', async () => {
  const r = random(20);
  const texts: (string | Buffer)[] = [];
  for (let i = 0; i < 300; i++) {
    const bytes = anyLine(r, 1795212767 + i);
    // jq skips a byte order mark, and treats NULs and numbers such as 0200 differently.
    if (/^\ufeff|\0|1e\+?300|200\.5|:0200/.test(bytes.toString())) continue;
    texts.push(bytes);
  }
  const whole = line({ request: { uri: '/cut' } });
  for (let cut = 0; cut < whole.length; cut += 3) texts.push(whole.slice(0, cut), whole.slice(cut));
  const file = join(newFolder(), 'access.log');
  writeFileSync(file, texts.map((text) => `${text}\n`).join(''));

  const { stdout } = Bun.spawnSync(['jq', '-cR', ENTRIES, file]);
  const expected = stdout
    .toString()
    .trim()
    .split('\n')
    .reverse()
    .map((each) => JSON.parse(each));
  const { logs, total } = await createLogs({ file }).page({ page: 1, pageSize: 500 });
  expect(total).toBe(expected.length);
  expect(total).toBeGreaterThan(150);
  expect(logs.map(({ method, path, status }) => [method, path, status])).toEqual(expected);
});
