/** What policies make of a site's text: nothing that can answer stays in front of them. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Guard } from '../../../../src/hub/caddyfile/guarded.ts';
import { partsOf } from '../../../../src/hub/caddyfile/parts.ts';
import { guardedBlock } from '../../../../src/hub/caddyfile/site-block.ts';
import { readImports } from '../../../../src/hub/caddyfile/snippets.ts';
import { dialectOf } from '../../../../src/shared/caddyfile/dialect.ts';
import { startAdaptCaddy } from '../../../harness/adapt-caddy.ts';
import { caddyIs } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';

const GUARDS: Guard[] = [
  {
    name: 'lan',
    lines: ['@policy-lan-out not remote_ip 10.0.0.0/8', 'respond @policy-lan-out 403'],
  },
  { name: 'closed', lines: [{ text: 'respond "back\nat nine" 503', field: 'text' }] },
];
const PREAMBLE = `(logs) {
	log
	tls internal
}

(zip) {
	# both
	encode gzip
	header X-Zip yes
}

(all) {
	import logs
	# why
	respond all
	handle_errors {
		respond oops
	}
}

(paths) {
	@paths path /a
}

(with) {
	log
	respond {args.0}
}

(self) {
	tls internal
	import self
	respond self
}

(empty) {
}`;

const older = dialectOf('2.6.2');
const imports = readImports(PREAMBLE, older);
const blockOf = (config: string, domain = 'http://a.example') =>
  guardedBlock(domain, config, GUARDS, imports);

/** What stays at the level of the site, or is guarded. */
const kinds = (body: string, dialect = older) =>
  partsOf(body, { ...imports, dialect }).map(({ kind, text }) => `${kind}: ${text.trim()}`);

describe('nothing that is not for certain a setting stays at the level of the site', () => {
  test.each<[string, string[]]>([
    ['respond a', ['handlers: respond a']],
    ['"tls" internal', ['handlers: "tls" internal']],
    ['{$NAME} internal', ['handlers: {$NAME} internal']],
    ['{$NAME:tls} internal', ['handlers: {$NAME:tls} internal']],
    ['tls {$NAME:a\nrespond b}', ['handlers: tls {$NAME:a\nrespond b}']],
    ['# {$NAME:a\nrespond b}\nlog', ['handlers: # {$NAME:a\nrespond b}\nlog']],
    ['log {\n\tformat json\n} respond a', ['handlers: log {\n\tformat json\n} respond a']],
    ['log {\n\tformat "{" json\n}\n}', ['handlers: log {\n\tformat "{" json\n}\n}']],
    ['log <<E\nrespond a\nE', ['handlers: log <<E\nrespond a\nE']],
    ['import /etc/site.conf', ['handlers: import /etc/site.conf']],
    ['import {$NAME}', ['handlers: import {$NAME}']],
    ['import zip', ['handlers: import zip']],
    ['import with a', ['handlers: import with a']],
    ['rate_limit 5', ['handlers: rate_limit 5']],
    ['handle_errors {\n\trespond "}" x\n}', ['handlers: handle_errors {\n\trespond "}" x\n}']],
    ['log \\\nrespond a\nlog', ['settings: log \\\nrespond a', 'settings: log']],
  ])('%j', (body, expected) => {
    expect(kinds(body)).toEqual(expected);
  });

  test('whatever the proxy makes of a heredoc', () => {
    const body = 'log <<E\nrespond a\nE\nlog';
    expect(kinds(body)).toEqual(['handlers: log <<E\nrespond a\nE', 'settings: log']);
    expect(kinds(body, dialectOf('2.7.0'))).toEqual([
      `settings: ${body.slice(0, -4)}`,
      'settings: log',
    ]);
  });

  test('of a snippet that has both, everything is at its place', () => {
    expect(kinds('import all\nimport all')).toEqual([
      'settings: import logs',
      'handlers: # why\n\trespond all',
      'errors: handle_errors {\n\t\trespond oops\n\t}',
      'handlers: import all',
    ]);
    expect(kinds('import self')).toEqual([
      'settings: tls internal',
      'handlers: import self',
      'handlers: respond self',
    ]);
  });
});

test('settings, matchers and snippets of them stay', () => {
  const body =
    '# c\ntls internal # t\n@m path /a\nimport logs\nimport paths\nimport empty\nbind ::1';
  expect(kinds(body)).toEqual([
    'settings: # c\ntls internal # t',
    'settings: @m path /a',
    'settings: import logs',
    'settings: import paths',
    'settings: import empty',
    'settings: bind ::1',
  ]);
});

test('every line is traced to where it is from', () => {
  const config = 'respond a\nlog\nimport all\nhandle_errors {\n\trespond b\n}\nrespond "c\nd"';
  const { text, origins = [], before } = blockOf(config);
  const lines = text.split('\n').slice(before, -1);
  expect(origins).toHaveLength(lines.length);
  const own = config.split('\n');
  const seen = new Set<number>();
  for (const [index, origin] of origins.entries()) {
    const line = lines[index]?.trim() ?? '';
    if (typeof origin !== 'number') {
      expect({ line, origin }).toEqual({
        line: expect.stringMatching(/^(?:# policy|@policy-|respond (?:@policy|"back)|at nine)/),
        origin: {
          name: line.includes('lan') ? 'lan' : 'closed',
          field: /back|at nine/.test(line) ? 'text' : undefined,
        },
      });
    } else if (origin === 3) {
      expect(line).toMatch(/import logs|# why|respond (?:all|oops)|handle_errors \{|^\}$/);
    } else if (origin > 1) {
      expect(line).toBe(own[origin - 1]?.trim() ?? '');
      seen.add(origin);
    }
  }
  expect([...seen].toSorted()).toEqual([2, 4, 5, 6, 7, 8]);
});

const caddy = await forFile(startAdaptCaddy());

describe('with Caddy', () => {
  test('a site is as in its golden file', async () => {
    const bodies: [string, string][] = [
      [
        'http://a.example',
        '# first\nlog # all\n\n# proxy\nreverse_proxy localhost:9000 {\n\theader_up A "b\nc"\n}\nimport zip\nhandle_errors { # oops\n\trespond e\n}\n# end',
      ],
      ['http://b.example', 'log'],
      ['http://c.example', 'import all'],
      [
        'http://d.example',
        '# d\nhttp://d.example, http://e.example { # why\n\tlog\n\trespond d\n\thandle_errors {\n\t\trespond e\n\t}\n} # end',
      ],
    ];
    const blocks = bodies.map(([domain, config]) => blockOf(config, domain).text);
    const text = `${[PREAMBLE, ...blocks].join('\n\n')}\n`;
    const path = join(import.meta.dir, '../../../golden/render/policies.caddyfile');
    if (process.env.UPDATE_GOLDEN === '1') await Bun.write(path, text);
    expect(text).toBe(await Bun.file(path).text());
    const adapted = await caddy.adapt(text);
    expect(adapted.ok ? '' : adapted.error).toBe('');
  });

  test('a snippet that is imported twice in a row stays two directives', async () => {
    const preamble =
      '(by) {\n\ttry_files {args.0} /{args.0}\n}\n(up) {\n\theader A b\n\timport by c\n}';
    const version = caddyIs('>=2.7.0') ? '2.7.0' : '2.6.2';
    const { text } = guardedBlock(
      'http://a.example',
      'import by a\n# why\nimport by b\nlog\nimport up\nimport by d',
      [],
      readImports(preamble, dialectOf(version)),
    );
    const adapted = await caddy.adapt(`${preamble}\n\n${text}\n`);
    const tried = [...JSON.stringify(adapted).matchAll(/"try_files":\[("[^\]]*)\]/g)];
    expect(tried.map(([, files]) => files).toSorted()).toEqual(
      ['a', 'b', 'c', 'd'].map((one) => `"${one}","/${one}"`),
    );
  });

  test.skipIf(!caddyIs('>=2.8.0'))('errors with a status are guarded as well', async () => {
    const { text } = blockOf('handle_errors 404 5xx {\n\trespond e\n}');
    expect(text).toContain('handle_errors 404 5xx {\n\t\troute {\n\t\t\t# policy lan');
    const adapted = await caddy.adapt(text);
    expect(adapted.ok ? '' : adapted.error).toBe('');
  });
});
