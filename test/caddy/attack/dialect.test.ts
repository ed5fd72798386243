/** Texts that one version of Caddy reads as one site, and another as more, or as an import of a file. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hostname } from 'node:os';
import { dialectOf } from '../../../src/shared/caddyfile/dialect.ts';
import { versionOf } from '../../harness/caddys.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { ask } from '../../harness/stack.ts';

/** A site, as Caddy reads it before 2.7; from then on it is in a text. */
const HIDDEN = 'respond <<log\n}\nhttp://hidden.example {\n\trespond hidden\nlog';

const SNIPPETS = [
  '(s) {\n\theader X y\n}',
  '(k) {\n\t{blocks.foo}\n}',
  '(b) {\n\thandle {\n\t\t{block}\n\t}\n}',
].join('\n');

/** From 2.9 on Caddy counts only the braces at the ends of lines in the block of an import. */
const BLOCKS: [string, string, number][] = [
  [
    'leaves its block',
    'handle {\nimport s {\nfoo { bar\n}\n}\n}\nhttp://hidden.example {\nhandle {\nimport s {\na\n} x\n}\n}',
    3,
  ],
  ['opens with a word on its line', 'handle {\nimport s {\nfoo {\n} x\n}\n}', 4],
  ['names a file in a nested block', 'handle {\nimport k {\nfoo import /etc/hostname\n}\n}', 3],
  ['names a file in a line', 'handle {\nimport b {\nheader X import /etc/hostname\n}\n}', 3],
];

/** The preamble of the first start, which has the ports. */
const owner = await forFile(startOwner());
await owner.create('before');
const first = (await owner.call('GET', '/preamble')).body.config;
describe('a text of several readings', () => {
  const { heredocs, importBlocks } = dialectOf(versionOf('caddy'));
  const put = (snippets: string) =>
    owner.call('PUT', '/preamble', { config: `${first}\n${snippets}` });
  beforeAll(async () => {
    expect((await put(SNIPPETS)).status).toBe(200);
  });
  afterAll(() => owner.call('PUT', '/preamble', { config: first }));

  test('a preamble cannot hold a site', async () => {
    const before = await owner.everything();
    const { status, body } = await put(`(t) {\n${HIDDEN}\n}`);
    if (heredocs) {
      expect(status).toBe(200);
      expect((await put(SNIPPETS)).status).toBe(200);
    } else {
      expect([status, body.line]).toEqual([502, first.split('\n').length + 4]);
      expect(await owner.everything()).toEqual(before);
    }
    expect((await owner.stack.served('hidden.example')).text).not.toContain('hidden');
  });

  test('a config cannot hold a site', async () => {
    const json = { domain: 'http://mine.example', config: HIDDEN };
    const { status, body } = await owner.call('POST', '/vhosts', json);
    expect(status).toBe(heredocs ? 201 : 502);
    expect((await owner.stack.served('hidden.example')).text).not.toContain('hidden');
    if (heredocs) await owner.call('DELETE', `/vhosts/${body.id}`);
  });

  test('a snippet with a brace in a heredoc can be imported', async () => {
    const { status } = await put(`${SNIPPETS}\n(t) {\n\trespond <<E\n\t\t}\n\t\tx\n\t\tE\n}`);
    expect(status).toBe(heredocs ? 200 : 502);
    if (!heredocs) return;
    const { id } = await owner.create('text', 'import t');
    expect(await owner.served('text')).toBe('}\nx');
    await owner.call('DELETE', `/vhosts/${id}`);
    await put(SNIPPETS);
  });

  test.each(BLOCKS)('a block of an import that %s is refused', async (_, config, line) => {
    const before = await owner.everything();
    const json = { domain: 'http://mine.example', config };
    const { status, body, text } = await owner.call('POST', '/vhosts', json);
    expect([status, body.code, body.line]).toEqual([502, 'PROXY_REJECTED', line]);
    expect(text).not.toContain(hostname());
    expect(await owner.everything()).toEqual(before);
  });

  test.each([
    ['in the block of an import', SNIPPETS, 'handle {\nimport k {\nfoo import /etc/hostname\n}\n}'],
    [
      'after a block',
      '(b) {\n\thandle {\n\t\t{block} import /etc/hostname\n\t}\n}',
      'import b {\na\n}',
    ],
  ])('the agent refuses a file %s', async (_, preamble, config) => {
    const json = { proxyfile: `${preamble}\nhttp://mine.example {\n${config}\n}\n` };
    const { stack } = owner;
    const answer = await ask(`${stack.agent}/proxy/validate`, {
      headers: stack.agentHeaders,
      json,
    });
    expect(answer.text).toContain('`import` of files is not allowed; use a snippet.');
    expect(answer.text).not.toContain(hostname());
  });

  test('an import may have a block since 2.9', async () => {
    const config = 'import k {\n\tfoo {\n\t\trespond from-block\n\t}\n}';
    const json = { domain: 'http://block.example', config };
    const { status, body } = await owner.call('POST', '/vhosts', json);
    expect(status).toBe(importBlocks ? 201 : 502);
    if (!importBlocks) return;
    expect(await owner.served('block')).toBe('from-block');
    await owner.call('DELETE', `/vhosts/${body.id}`);
  });
});

/** Newer Caddys than 2.11.4 take a quoted brace for text, all others for a brace. */
describe('a quoted brace', () => {
  const evil = (open: string, close: string) =>
    `header ${open}\n}\nhttp://evil.example {\nrespond "pwned"\nheader Q ${close}`;
  const guarded = ['header "{"\n}\nheader "{"\n}\nhandle {\nrespond "BODY"\n}']
    .concat('handle /a {\nheader X "}"', 'handle /b {\nheader X "}"')
    .join('\n');
  const deep = `${'handle {\nheader Q "}"\n'.repeat(1000)}${'header "{"\n}\n'.repeat(1000)}`;
  const mine = (config: string, rest: object = {}) => ({
    domain: 'http://mine.example',
    config,
    ...rest,
  });

  type Attempt = [string, () => [method: string, path: string, json: object]];
  const attempts: Attempt[] = [
    ['in a config', () => ['POST', '/vhosts', mine(evil('"{"', '"}"'))]],
    ['in backticks', () => ['POST', '/vhosts', mine(`log\n${evil('`{`', '`}`')}`)]],
    [
      'in a whole block',
      () => ['POST', '/vhosts', mine(`http://mine.example {\n${evil('"{"', '"}"')}\n}`)],
    ],
    [
      'after an address that is filled in',
      () => [
        'POST',
        '/vhosts',
        mine(`http://mine.example {upstream} {\n${evil('"{"', '"}"')}\n}`, { upstream: 'a:1' }),
      ],
    ],
    ['behind a policy', () => ['POST', '/vhosts', mine(guarded, { policies: ['home'] })]],
    ['a thousand blocks deep', () => ['POST', '/vhosts', mine(deep)]],
    [
      'in a snippet',
      () => ['PUT', '/preamble', { config: `${first}\n(s) {\n${evil('"{"', '"}"')}\n}` }],
    ],
    [
      'in global options',
      () => ['PUT', '/preamble', { config: `{\n\tlog "{"\n}\nhttp://evil.example {\n}` }],
    ],
    [
      'as an argument of an import',
      () => ['POST', '/vhosts', mine('import s "{"\n}\nhttp://evil.example {\nrespond "}"')],
    ],
    [
      'in a file that is imported',
      () => ['POST', '/import', { proxyfile: `http://mine.example {\n${evil('"{"', '"}"')}\n}\n` }],
    ],
    [
      'in an option that an import leaves out',
      () => [
        'POST',
        '/import',
        {
          proxyfile:
            '{\n\tstorage "{"\n\temail a@example.com\n\t"}"\n}\nhttp://mine.example {\n}\n',
        },
      ],
    ],
  ];

  test.each(attempts)('is refused %s', async (_, attempt) => {
    const [method, path, json] = attempt();
    if ('policies' in json) {
      const values = { networks: ['192.0.2.0/24'] };
      await owner.call('POST', '/policies', { name: 'home', recipe: 'allow', values });
    }
    const before = await owner.everything();
    const { status, body } = await owner.call(method, path, json);
    const text = String(Object.entries(json).find(([name]) => /config|proxyfile/.test(name))?.[1]);
    const line = text.slice(0, text.search(/["`][{}]["`]/)).split('\n').length;
    expect([status, body.code, body.line]).toEqual([502, 'PROXY_REJECTED', line]);
    expect(body.detail).toMatch(/^(preamble, )?line \d+: Up to Caddy 2\.11\.4 this quoted [{}] /);
    expect(body.hint).toMatch(/remove the quotes/);
    expect(await owner.everything()).toEqual(before);
    expect((await owner.stack.served('evil.example')).text).not.toContain('pwned');
  });

  /** Caddy takes a backslash before a brace away when it imports a snippet, and reads the brace then. */
  test.each([
    ['two words that close and open', 'respond a\n\\}\nhttp://evil.example \\{\nrespond pwned', 2],
    ['quoted ones', 'respond a\n"\\}"\nhttp://evil.example "\\{"\nrespond pwned', 2],
    ['a brace beside an argument', 'respond a\n{args.0}\\}\nhttp://evil.example \\{{args.0}', 2],
    ['the default of a variable', 'handle {$NOPE:\\{}\nrespond a', 1],
    ['a file after it', 'http://evil.example \\{ import /etc/hostname', 1],
    ['many of them', 'handle \\{\n'.repeat(700), 1],
  ])('cannot be made by a snippet of %s', async (_, text, line) => {
    const before = await owner.everything();
    const config = `${first}\n(s) {\n${text}\n}`;
    const at = first.split('\n').length + 1 + line;
    const put = await owner.call('PUT', '/preamble', { config });
    expect([put.status, put.body.code, put.body.line]).toEqual([502, 'PROXY_REJECTED', at]);
    const proxyfile = `${config}\nhttp://mine.example {\nimport s ""\n}\n`;
    const imported = await owner.call('POST', '/import', { proxyfile });
    expect([imported.status, imported.body.code]).toEqual([502, 'PROXY_REJECTED']);
    const { stack } = owner;
    const asked = await ask(`${stack.agent}/proxy/reload`, {
      headers: stack.agentHeaders,
      json: { proxyfile },
    });
    expect(asked.status).toBe(502);
    expect(asked.text).not.toContain(hostname());
    expect(await owner.everything()).toEqual(before);
    expect((await stack.served('evil.example')).text).not.toContain('pwned');
  });

  test('is refused in a backup that is restored, and in a bulk change', async () => {
    const before = await owner.everything();
    const site = mine(evil('"{"', '"}"'));
    for (const [path, json] of [
      ['/vhosts/bulk', { operations: [{ op: 'create', ...site }] }],
      [
        '/restore?replace=true',
        { version: 1, preamble: first, vhosts: [{ ...site, upstream: '', enabled: true }] },
      ],
    ] as const) {
      const { status, body } = await owner.call('POST', path, json);
      expect([path, status, body.code]).toEqual([path, 502, 'PROXY_REJECTED']);
      expect(body.detail).toContain('this quoted { opens a block');
    }
    expect(await owner.everything()).toEqual(before);
  });

  test('is refused in a preview, in no time', async () => {
    for (const config of [deep, evil('"{"', '"}"')]) {
      const { status, body } = await owner.call('POST', '/preview', {
        op: 'create',
        ...mine(config),
      });
      expect([status, body.valid]).toEqual([200, false]);
      expect(JSON.stringify(body)).toContain('remove the quotes');
    }
  });

  test('is refused by the agent, whoever asks', async () => {
    const { stack } = owner;
    for (const path of ['validate', 'reload', 'adapt']) {
      const json = { proxyfile: `http://mine.example {\n${evil('"{"', '"}"')}\n}\n` };
      const { status, body } = await ask<{ code: string; line: number; hint: string }>(
        `${stack.agent}/proxy/${path}`,
        { headers: stack.agentHeaders, json },
      );
      expect([path, status, body.code, body.line]).toEqual([path, 502, 'PROXY_REJECTED', 2]);
      expect(body.hint).toContain('remove the quotes');
    }
    expect((await stack.served('evil.example')).text).not.toContain('pwned');
  });

  test('as text is written with a backslash, or with more beside it', async () => {
    await owner.create('text', 'header X "\\{"\nheader Y "{}"\nrespond "\\{ a }" 200');
    const { headers, text } = await owner.stack.served('text.example');
    expect([headers.get('X'), headers.get('Y'), text]).toEqual(['{', '{}', '{ a }']);
  });
});
