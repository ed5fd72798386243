/** Importing what only some versions of Caddy understand. */
import { expect, test } from 'bun:test';
import type { ImportAnswer } from '../../../../src/features/import/schemas.ts';
import { dialectOf } from '../../../../src/shared/caddyfile/dialect.ts';
import { versionOf } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';
import { type Body, startOwner } from '../../../harness/owner.ts';

type Imported = ImportAnswer & Body;

const HEREDOC = [
  'http://text.example {',
  '\theader X <<-MARK_1',
  '',
  '\t  a "quote',
  '\t}',
  '\t\timport /etc/hostname',
  '\t-MARK_1',
  '\trespond <<E',
  '    {',
  '      "a": "<<F"  ',
  '    }',
  '',
  '    # no comment \\',
  '    E 200',
  '}',
].join('\n');

const BLOCKS = [
  '(site) {\n\trespond /a {args[0]}\n\t{block}\n\trespond /b {args[1:]}\n\thandle {\n\t\t{blocks.last}\n\t}\n}',
  'http://block.example {\n\timport site one {blocks.x} {\n\t\theader Y z\n\t}\n}',
] as const;

const owner = await forFile(startOwner());
await owner.create('before');

const { heredocs } = dialectOf(versionOf('caddy'));
const post = (proxyfile: string) => owner.call<Imported>('POST', '/import', { proxyfile });

test('heredocs are kept byte for byte, and lines after them are right', async () => {
  const file = `# first\n${HEREDOC}\n\n# second\nhttp://after.example {\n\trespond after\n}\n`;
  const before = await owner.everything();
  const { status, body } = await post(file);
  if (!heredocs) {
    expect(status).not.toBe(200);
    expect(await owner.everything()).toEqual(before);
    return;
  }
  expect({ status, skipped: body.skipped, detail: body.detail }).toEqual({
    status: 200,
    skipped: [],
    detail: undefined,
  });
  expect(body.vhosts.map(({ config }) => config)).toEqual([
    `# first\n${HEREDOC}`,
    '# second\nhttp://after.example {\n\trespond after\n}',
  ]);
  expect(owner.stack.readProxyfile()).toContain(`\n# first\n${HEREDOC}\n\n# second\n`);
  expect(await owner.served('text')).toBe('{\n  "a": "<<F"  \n}\n\n# no comment \\');
  const config = `${HEREDOC.slice(0, -2)}\n\trespnd x\n}`;
  const [first] = (await owner.call<{ id: number }[]>('GET', '/vhosts')).body.toReversed();
  const refused = await owner.call('PUT', `/vhosts/${first?.id}`, { config });
  expect([refused.status, refused.body.line]).toEqual([502, 15]);
});

test('a body with a heredoc is indented around it, not in it', async () => {
  const config = 'respond <<E\n{\n\timport x\n}\nE';
  const { status } = await owner.call('POST', '/vhosts', {
    domain: 'http://body.example',
    config,
  });
  expect(status).toBe(heredocs ? 201 : 502);
  if (!heredocs) return;
  expect(owner.stack.readProxyfile()).toContain(
    `http://body.example {\n\trespond <<E\n{\n\timport x\n}\nE\n}\n`,
  );
  expect(await owner.served('body')).toBe('{\n\timport x\n}');
});

test('options of the preamble after a heredoc are left out too', async () => {
  const options =
    '{\n\tdefault_sni <<E\n\t\ta }\n\t\t}\n\t\tE\n\tstorage file_system /x\n\tpersist_config off\n}\n';
  const { status, body } = await post(`${options}http://c.example {\n\trespond c\n}\n`);
  if (!heredocs) return expect(status).not.toBe(200);
  expect([status, body.skipped.map(({ line }) => line)]).toEqual([200, [6, 7]]);
  expect(body.preamble).toContain('\tdefault_sni <<E\n\t\ta }\n\t\t}\n\t\tE\n');
  expect(body.preamble).not.toMatch(/storage|persist_config/);
});

test('a host that is named like a directive gets its scheme, if Caddy takes it for a host', async () => {
  const json = { proxyfile: 'handle, other.example\n\nrespond x\n', dryRun: true };
  const { status, body } = await owner.call<Imported>('POST', '/import', json);
  // Since 2.8 it does not.
  if (heredocs) return expect([status, body.code]).toEqual([502, 'PROXY_REJECTED']);
  expect([status, body.vhosts[0]?.domain]).toEqual([200, 'https://handle']);
});

test('snippets with blocks and ranges of arguments are kept', async () => {
  const { status, body } = await post(`${BLOCKS.join('\n')}\n`);
  if (!dialectOf(versionOf('caddy')).importBlocks) return expect(status).not.toBe(200);
  expect(status).toBe(200);
  expect(body.vhosts.at(-1)?.config).toBe(BLOCKS[1]);
  expect((await owner.stack.served('block.example')).headers.get('y')).toBe('z');
});
