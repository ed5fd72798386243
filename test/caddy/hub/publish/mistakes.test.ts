/**
 * Mistakes in a config, through hub, agent and Caddy: whatever the version, a refusal names the config's own
 * line. All of them are adapted in policy-lines.test.ts; here are those that only a start finds, and a few.
 */
import { expect, test } from 'bun:test';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasHeredocs } from '../../../../src/shared/caddyfile/dialect.ts';
import { versionOf } from '../../../harness/caddys.ts';
import { folderForFile, forFile } from '../../../harness/for-file.ts';
import { FULL } from '../../../harness/full.ts';
import { MISTAKES, NEWER } from '../../../harness/mistakes.ts';
import { startOwner } from '../../../harness/owner.ts';

const PREAMBLE = '(faulty) {\n\tlog\n\trespnd x\n}';

const files = folderForFile();
chmodSync(files, 0o755);
const owner = await forFile(startOwner({ IMPORT_DIRS: files }));
await owner.call('PUT', '/preamble', { config: `${'# a comment\n'.repeat(4)}(s) {\n}` });
await owner.create('before', 'log\nrespond before');

const preview = async (config: string) => {
  const domain = 'http://mine.example';
  const { body } = await owner.call('POST', '/preview', { op: 'create', domain, config });
  expect(body.valid).toBe(false);
  return body;
};

const some = MISTAKES.filter(([, , line], at) => FULL || line === null || at % 9 === 0);
test.each(some)('%s is on its line', async (_, config, line) => {
  const { detail, line: named } = await preview(config);
  expect({ detail, named }).toEqual({ detail, named: line });
  // The proxy's own place would be one in another text.
  expect(detail).not.toMatch(/ at \S*:\d|line #|Caddyfile:|-:\d/);
});

test.each(FULL ? NEWER : NEWER.slice(0, 2))(
  'a mistake %s is on its line',
  async (_, config, line) => {
    const isNewer = hasHeredocs(versionOf('caddy'));
    const { detail, line: named } = await preview(config);
    expect(detail).not.toMatch(/ at \S*:\d|line #|Caddyfile:|-:\d/);
    if (isNewer) expect({ detail, named }).toEqual({ detail, named: line });
  },
);

test('a mistake in the preamble is on its line', async () => {
  for (const [config, line] of [
    ['{\n\temial x\n}', 2],
    ['{\n\tservers {\n\t\ttimeouts {\n\t\t\tread now\n\t\t}\n\t}\n}', 4],
  ] as const) {
    const { body } = await owner.call('POST', '/preview', { op: 'preamble', config });
    expect([body.valid, body.line]).toEqual([false, line]);
    expect(body.detail).not.toMatch(/ at \S*:\d|line #|Caddyfile:|-:\d/);
  }
});

test('a mistake is named, and not a file that another site imports and somebody broke', async () => {
  const file = join(files, 'part.caddy');
  writeFileSync(file, 'respond part');
  const { id } = await owner.create('imports', `log\nimport ${file}`);
  writeFileSync(file, 'respnd part');
  const made = (config: string) =>
    owner.call('POST', '/vhosts', { domain: 'http://mine.example', config });
  const { status, body } = await made('log\nfoo');
  expect([status, body.detail, body.line]).toEqual([502, 'line 2: unrecognized directive: foo', 2]);
  expect((await made('log\nrespond x')).body.detail).toMatch(/imports\.example.*imported file/);
  await owner.call('DELETE', `/vhosts/${id}`);
});

test('a mistake in a snippet is one of the preamble', async () => {
  expect((await owner.call('PUT', '/preamble', { config: PREAMBLE })).status).toBe(200);
  const { detail } = await preview('log\nimport faulty');
  expect(detail).toBe('preamble, line 3: unrecognized directive: respnd');
});
