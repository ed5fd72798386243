/** The file of `signalbox apply`: what is refused, with its line, and what is read. */
import { describe, expect, test } from 'bun:test';
import {
  isCaddyfile,
  Mistakes,
  readApplyFile,
} from '../../../../src/features/apply/cli/apply-file.ts';
import { readTree } from '../../../../src/features/apply/cli/yaml-tree.ts';
import { applySchema } from '../../../../src/features/apply/schemas.ts';
import { toYaml } from '../../../../src/features/apply/yaml.ts';
import { some } from '../../../harness/full.ts';
import fc from '../../../harness/generated.ts';
import { words } from '../../../harness/words.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readApplyFile(bytes(text), applySchema());

/** All that is wrong with a text, as the command prints it. */
function mistakesIn(given: string | Uint8Array): string[] {
  try {
    readApplyFile(typeof given === 'string' ? bytes(given) : given, applySchema());
    return [];
  } catch (error) {
    if (!(error instanceof Mistakes)) throw error;
    return error.mistakes.map(({ line, path, words }) =>
      [line, ...(path.length > 0 ? [path.join('.')] : []), words].join(': '),
    );
  }
}

describe('no YAML that is read', () => {
  test.each([
    ['', '1: the file is empty'],
    ['# nothing\n', '1: the file is empty'],
    ['---\n', '1: must be a map; write {} for an empty one, or indent the lines below it'],
    ['- a\n', '1: must be a map'],
    ['sites\n', '1: must be a map'],
    ['sites: {}\nsites: {}\n', '2: sites: occurs twice; first in line 1'],
    [
      '{"sites": {"a.example": {},\n"a.example": {}}}',
      '2: sites.a.example: occurs twice; first in line 1',
    ],
    ['sites:\n\ta.example: {}\n', '2: a tab is no indentation; use spaces'],
    ['sites: {}\n---\nsites: {}\n', '2: a second document begins here; a file has one'],
    [
      'sites:\n  a.example: {config: !!js x}\n',
      '2: sites.a.example.config: a tag such as !!js is not supported',
    ],
    [
      'sites:\n  a.example:\n    config: !!binary QQ==\n',
      '3: sites.a.example.config: a tag such as !!binary is not supported',
    ],
    ['sites: !mine {}\n', '1: sites: a tag such as !mine is not supported'],
    ['!!str sites: {}\n', '1: a key must be a text'],
    ['# a\n%YAML 1.1\n---\nsites: {}\n', '2: a directive (%) is not supported'],
    ['sites:\n  a.example: {config: "\0"}\n', '2: the character U+0000 is not allowed here'],
    ['sites:\n  a.example: {config: "\x1b[2J"}\n', '2: the character U+001B is not allowed here'],
    ['sites: {}\rpolicies: {}\n', '1: the character U+000D is not allowed here'],
    [
      'sites: {\n',
      '2: flow map in block collection must be sufficiently indented and end with a }',
    ],
    ['sites: {a.example: {config: "x}}\n', '2: missing closing "quote'],
    ['sites:\n  __proto__: {}\n', '2: sites: __proto__ cannot be a key'],
    ['sites:\n  a.example: {"__proto__": {}}\n', '2: sites.a.example: __proto__ cannot be a key'],
    ['sites:\n  ? [a]\n  : {}\n', '2: sites: a key must be a text'],
    ["sites:\n  '': {}\n", "2: sites: '' cannot be a key"],
    [
      'sites:\n  a.example: *b\n',
      '2: sites.a.example: there is no &b above; a text that begins with * needs quotes',
    ],
    ['sites: &a\n  a.example: *a\n', '2: sites.a.example: &a contains itself'],
    [
      'sites:\n  a.example: {<<: {config: x}}\n',
      '2: sites.a.example.<<: <<: merges a map by its alias, such as <<: *name',
    ],
    [
      'sites:\n  a.example: {config: &c x}\n  b.example:\n    <<: *c\n',
      '4: sites.b.example.<<: <<: merges a map by its alias, such as <<: *name',
    ],
  ])('%j', (text, mistake) => expect(mistakesIn(text)).toEqual([mistake]));

  test('bytes that are not UTF-8, and more than 1 MiB of them', () => {
    expect(mistakesIn(new Uint8Array([0x61, 0xff]))).toEqual(['1: the file is not UTF-8']);
    const large = `sites: {}\n#${' '.repeat(1024 * 1024)}`;
    expect(mistakesIn(large)).toEqual(['1: the file is larger than 1 MiB']);
  });

  test('more than 64 levels, as a block, in brackets and by aliases', () => {
    const deep = Array.from({ length: 70 }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
    expect(mistakesIn(deep)).toContain('66: more than 64 levels deep');
    expect(mistakesIn('['.repeat(20_000))).toEqual(['1: more than 64 levels deep']);
    const chain = Array.from(
      { length: 70 },
      (_, at) => `  a${at}: &a${at} [${at === 0 ? '' : `*a${at - 1}`}]`,
    );
    expect(mistakesIn(`sites:\n${chain.join('\n')}\n`)).toContain('67: more than 64 levels deep');
  });

  test('aliases that explode', () => {
    const ten = (of: string) => `[${Array(10).fill(of).join(', ')}]`;
    const lists = [...'bcdefgh'].map(
      (name, at) => `    ${name}: &${name} ${ten(`*${'abcdefg'[at]}`)}`,
    );
    const laughs = `sites:\n  x.example:\n    config: &a lol\n${lists.join('\n')}\n    tags: *h\n`;
    expect(mistakesIn(laughs)).toContain('9: sites.x.example.tags.0: must be a text');
    const long = `sites:\n  a0.example: &a {config: ${'x'.repeat(100_000)}}\n`;
    const more = Array.from({ length: 50 }, (_, at) => `  b${at}.example: *a\n`);
    expect(mistakesIn(long + more.join(''))).toEqual(['1: its aliases stand for more than 4 MiB']);
  });
});

test('mistakes beyond a thousand are not looked for', () => {
  const maps = Array.from(
    { length: 100 },
    (_, at) => `  a${at}.example: &a${at} {${at === 0 ? '' : `<<: *a${at - 1}, `}k${at}: v}`,
  );
  const found = mistakesIn(`sites:\n${maps.join('\n')}\n`);
  expect(found).toHaveLength(1_000);
  expect(found[0]).toBe('2: sites.a0.example.k0: unknown field');
});

test('merged maps that grow with each other', () => {
  const maps = Array.from(
    { length: 1_000 },
    (_, at) => `  a${at}: &a${at} {${at === 0 ? '' : `<<: *a${at - 1}, `}k${at}: v}`,
  );
  // Not as sites: each key would be a mistake of its own.
  expect(readTree(`sites:\n${maps.join('\n')}\n`).mistakes).toContainEqual({
    line: 634,
    path: ['sites', 'a632', '<<'],
    words: 'maps with more than 200000 keys in all are merged',
  });
});

describe('a slip of YAML, in plain words', () => {
  const site = (line: string) => `sites:\n  a.example:\n    tags: [a]\n    ${line}\n`;
  const quotes = 'put the whole value in quotes';
  const space = 'a space is missing after the colon';
  const conflict = 'an unresolved merge conflict';
  test.each([
    [site('config: header A: b'), `4: ${quotes}`],
    [site('config: {uri} x'), `4: ${quotes}`],
    ['sites:\n  a.example: {config: redir https://x{uri}}\n', `2: ${quotes}`],
    ['sites:\n  *.c.localhost:\n    config: x\n', '2: put *.c.localhost in quotes'],
    ['sites:\n  *.c.localhost: {config: x}\n', '2: put *.c.localhost in quotes'],
    [
      'sites:\n  a.example:\n    config: |\n\t\trespond x\n',
      '4: a tab is no indentation; use spaces',
    ],
    [site('upstream:127.0.0.1:80'), `4: ${space}`],
    [
      'sites:\n  a.example: {upstream:127.0.0.1:80}\n',
      `2: sites.a.example.upstream:127.0.0.1:80: unknown field; ${space}`,
    ],
    [site('upstream:127.0.0.1:80\n    enabled: true'), `4: ${space}`],
    [
      'sites:\n  a.example:\n    upstream:127.0.0.1:80\n',
      `3: sites.a.example: must be a map; ${space}`,
    ],
    ['sites:\n  a.example: http://b.example\n', '2: sites.a.example: must be a map'],
    [
      'sites:\n<<<<<<< HEAD\n  a.example: {}\n=======\n  b.example: {}\n>>>>>>> x\n',
      `2: ${conflict}`,
    ],
    [site('config: |\n      a\n=======\n      c'), `6: ${conflict}`],
  ])('%j', (text, mistake) => expect(mistakesIn(text)).toEqual([mistake]));

  test('fields that are not indented below their site', () => {
    expect(mistakesIn('sites:\n  a.example:\n  upstream: a:1\n')).toEqual([
      '2: sites.a.example: must be a map; write {} for an empty one, or indent the lines below it',
      '3: sites.upstream: must be a map',
    ]);
  });
});

describe('what the schema does not have', () => {
  test.each([
    ['upsteam: a', 'upsteam: unknown field; did you mean upstream?'],
    ['zzz: a', 'zzz: unknown field'],
    ['constructor: a', 'constructor: unknown field'],
    ['domain: a', 'domain: unknown field'],
    ['enabled: no', 'enabled: must be true or false; write false'],
    ['enabled: On', 'enabled: must be true or false; write true'],
    ['enabled: "true"', 'enabled: must be true or false; write true'],
    ['enabled: maybe', 'enabled: must be true or false'],
    ['upstream:', 'upstream: must be a text; leave the field out, or use quotes'],
    ['upstream: ~', 'upstream: must be a text; leave the field out, or use quotes'],
    ['upstream: Null', 'upstream: must be a text; leave the field out, or use quotes'],
    ['upstream: [a]', 'upstream: must be a text'],
    ['tags: media', 'tags: must be a list; write [media]'],
    ['policies: lan', 'policies: must be a list; write [lan]'],
    ['tags:', 'tags: must be a list'],
    ['tags: {a: b}', 'tags: must be a list'],
    ['tags: [[a]]', 'tags.0: must be a text'],
    ['check: /health', 'check: must be a map or null; write {path: /health}'],
    ['check: health', 'check: must be a map or null'],
    ['check: {path: health}', 'check.path: begins with / and has no spaces'],
    ['check: {path: /a b}', 'check.path: begins with / and has no spaces'],
    ['check: {}', 'check: path is missing'],
    ['check: {path: /, status: "200"}', 'check.status: must be a number, without quotes'],
    ['check: {path: /, status: 2e2}', 'check.status: must be a number'],
    ['check: {path: /, status: 0200}', 'check.status: must be a number'],
    ['check: {path: /, every: 5}', 'check.every: must be number to be greater or equal to 10'],
    ['check: {path: /, every: "0"}', 'check.every: must be 0 or a number, without quotes'],
  ])('%s', (field, mistake) => {
    const text = `sites:\n  a.example:\n    ${field}\n`;
    expect(mistakesIn(text)).toEqual([`3: sites.a.example.${mistake}`]);
  });

  test.each([
    [
      '{recipe: alow, values: {networks: [private_ranges]}}',
      ': there is no such recipe; did you mean allow?',
    ],
    ['{values: {}}', ': recipe is missing'],
    ['{recipe: allow}', ': values is missing'],
    ['{recipe: allow, values: {}}', '.values: networks is missing'],
    [
      '{recipe: allow, values: {network: []}}',
      '.values.network: unknown field; did you mean networks?',
    ],
    [
      '{recipe: allow, values: {networks: [10.0.0.300]}}',
      '.values.networks.0: must be an IP address, a network such as 192.168.1.0/24, or private_ranges',
    ],
    [
      '{recipe: allow, values: {networks: []}}',
      '.values.networks: must be array length to be greater or equal to 1',
    ],
    [
      '{recipe: basic-auth, values: {users: [{name: a, pasword: hunter2}]}}',
      '.values.users.0.pasword: unknown field; did you mean password?',
    ],
  ])('policy %s', (policy, mistake) => {
    const found = mistakesIn(`policies:\n  lan: ${policy}\n`);
    expect(found).toContain(`2: policies.lan${mistake}`);
    expect(found.join()).not.toContain('hunter2');
  });

  test.each([
    ['config: reverse_proxy {upstream}\n      encode gzip', 3],
    ['config:\n      header A b\n\n      respond hi', 4],
    ['config: >\n      header A b\n      respond hi', 3],
    ['config: >-\n      route {\n        respond hi\n      }', 3],
    ['config: "header A b\n      respond hi"', 3],
    ["config: 'header A b\n\n      respond hi'", 3],
  ])('lines of a config that would become one: %j', (field, line) => {
    expect(mistakesIn(`sites:\n  a.example:\n    ${field}\n    enabled: true\n`)).toEqual([
      `${line}: sites.a.example.config: write config: |, so that each line stays a line`,
    ]);
  });

  test('all mistakes at once, in the order of their lines', () => {
    const text = `site: {}
sites:
  a.example:
    enabled: yes
    tags:
      - [a]
  a.example: {upsteam: x}
policies: []
`;
    expect(mistakesIn(text)).toEqual([
      '1: site: unknown field; did you mean sites?',
      '4: sites.a.example.enabled: must be true or false; write true',
      '6: sites.a.example.tags.0: must be a text',
      '7: sites.a.example: occurs twice; first in line 3',
      '8: policies: must be a map',
    ]);
  });
});

describe('what is read', () => {
  test('a text is as it is written', () => {
    const texts = ['no', '08', '1e3', '0x10', '12:30:45', 'true', '-1', '.5', '=', '2001-01-01'];
    const { sites } = read(`sites:\n  08: {upstream: 8080, tags: [${texts.join(', ')}]}\n`);
    expect(sites).toEqual({ '08': { upstream: '8080', tags: texts } });
    expect(read('sites: {a: {tags: ["~", \'null\', ""], config: ""}}').sites).toEqual({
      a: { tags: ['~', 'null', ''], config: '' },
    });
  });

  test('numbers, true, false and null are where the schema has them', () => {
    const text = `sites:
  a.example: {enabled: false, check: {path: /, status: 204, within: 0.5, every: 0}}
  b.example: {enabled: true, check: null}
  c.example: {check: ~}
`;
    expect(read(text).sites).toEqual({
      'a.example': { enabled: false, check: { path: '/', status: 204, within: 0.5, every: 0 } },
      'b.example': { enabled: true, check: null },
      'c.example': { check: null },
    });
  });

  test('a config is its lines, with tabs, also in a file of Windows', () => {
    const lines = ['\ufeffsites:', '  a.example:', '    config: |', '      route {'];
    const text = [...lines, '      \trespond hi', '      }', ''].join('\r\n');
    expect(read(text).sites).toEqual({ 'a.example': { config: 'route {\n\trespond hi\n}\n' } });
  });

  test.each([
    ['|', 'respond hi\n'],
    ['|-', 'respond hi'],
    ['>', 'respond hi\n'],
  ])('a config of a single line after %s', (mark, config) => {
    const text = `sites:\n  a.example:\n    config: ${mark}\n      respond hi\n\n  b.example: {}\n`;
    expect(read(text).sites['a.example']).toEqual({ config });
  });

  test('other texts of several lines are folded', () => {
    const text = 'sites:\n  a.example:\n    tags: [one\n      two]\n    config: "a\\nb"\n';
    expect(read(text).sites['a.example']).toEqual({ tags: ['one two'], config: 'a\nb' });
  });

  test('JSON, indented by tabs', () => {
    const config = 'route {\n\trespond "hi"\n}';
    const sites = { 'a.example': { config, tags: ['08'], enabled: true } };
    expect(read(JSON.stringify({ sites }, null, '\t'))).toMatchObject({ sites, policies: {} });
  });

  test('aliases, and maps that are merged; what a map says itself counts', () => {
    const text = `sites:
  a.example: &usual
    upstream: 127.0.0.1:1
    tags: &tags [media]
  b.example: *usual
  c.example:
    upstream: 127.0.0.1:3
    <<: *usual
  d.example: &more {config: respond hi, upstream: x}
  e.example: {<<: [*usual, *more], tags: *tags}
`;
    const { sites } = read(text);
    expect(sites['b.example']).toEqual({ upstream: '127.0.0.1:1', tags: ['media'] });
    expect(sites['c.example']).toEqual({ upstream: '127.0.0.1:3', tags: ['media'] });
    expect(sites['e.example']).toEqual({
      upstream: '127.0.0.1:1',
      tags: ['media'],
      config: 'respond hi',
    });
  });

  test('what an export writes', () => {
    const values = { networks: ['private_ranges'], status: 404 };
    const config = 'a {\n\tb \n}\n\n';
    const tags = ['no', '08', '1e3', '~', 'a\tb', ' '];
    const sites = {
      '*.example': { config, enabled: false, tags },
      'a.example': { upstream: '127.0.0.1:1', check: { path: '/', every: 10 }, config: '\r\n' },
    };
    const policies = { lan: { recipe: 'allow', values } };
    expect(read(toYaml({ policies, sites }))).toMatchObject({ policies, sites });
  });
});

describe('the line that a refusal is about', () => {
  const file = read(`policies:
  lan:
    recipe: allow
    values:
      networks:
        - private_ranges
sites:
  a.example:
    # its own
    config: |
      route {
      \trespond hi
      }
    tags: [one, two]
  b.example: {config: respond hi, upstream: 127.0.0.1:1}
  "c \\"x\\".example":
    upstream: 127.0.0.1:1
`);
  test.each([
    [{ field: 'sites["a.example"].config', line: 2 }, 12, 'sites.a.example.config'],
    [{ field: 'sites["a.example"].config' }, 11, 'sites.a.example.config'],
    [{ field: 'sites["a.example"].tags.1' }, 14, 'sites.a.example.tags.1'],
    [{ field: 'sites["b.example"].config', line: 1 }, 15, 'sites.b.example.config'],
    [{ field: 'sites["a.example"]' }, 8, 'sites.a.example'],
    [{ field: 'sites["c \\"x\\".example"].config', line: 1 }, 16, 'sites.c "x".example'],
    [{ field: 'policies["lan"].values.networks.0' }, 6, 'policies.lan.values.networks.0'],
    [{ field: 'policies["lan"].values.status' }, 4, 'policies.lan.values'],
    [{ policy: { name: 'lan', field: 'networks' }, line: 3 }, 5, 'policies.lan.values.networks'],
  ])('%j', (refusal, line, path) => {
    const place = file.placeOf(refusal);
    expect([place?.line, place?.path.join('.')]).toEqual([line, path]);
  });

  test.each([{}, { field: 'expects' }, { field: 'sites["z.example"]' }, { policy: { name: 'z' } }])(
    'none of %j',
    (refusal) => expect(file.placeOf(refusal)).toBeNull(),
  );
});

describe('a Caddyfile', () => {
  test.each([
    ['Caddyfile', 'sites: {}'],
    ['/etc/caddy/Caddyfile', ''],
    ['home.caddyfile', 'sites: {}'],
    ['-', 'app.example {\n\trespond hi\n}\n'],
    ['-', '# mine\n\n:80 {\n\trespond hi\n}\n'],
    ['-', '{\n\tadmin off\n}\n'],
    ['-', 'http://a.example, b.example {\n}\n'],
    ['home.conf', 'localhost\nrespond hi\n'],
    ['-', '(snippet) {\n}\n'],
  ])('%s with %j', (name, text) => expect(isCaddyfile(name, text)).toBe(true));

  test.each([
    ['sites.yaml', 'app.example {\n}\n'],
    ['sites.yml', ''],
    ['sites.JSON', ''],
    ['-', ''],
    ['-', '\ufeff# mine\n---\n\nsites:\n  a.example: {}\n'],
    ['-', 'site: {}'],
    ['-', '{"sites": {}}'],
    ['-', '{\n  "sites": {}}'],
    ['-', '{sites: {}}'],
    ['-', '{}'],
    ['-', "'sites' : {}"],
    ['-', '- a\n'],
  ])('not %s with %j', (name, text) => expect(isCaddyfile(name, text)).toBe(false));
});

const HOSTILE = [
  ...words(`
    # | |2- > *a ! { } [ ] , " ' % @ sites: policies: a.example config tags check recipe allow
    values __proto__ no 08 1e3 ~ null true =
  `),
  '\n',
  '\n  ',
  '\t',
  ' ',
  ': ',
  '- ',
  '? ',
  ' #',
  '&a ',
  '<<: ',
  '!!js ',
  '\\',
  '`',
  '---\n',
  '...\n',
  '\r\n',
  '\r',
  '\0',
  '\ufeff',
  '\u0085',
  '\u2028',
  '😀',
];
const hostile = fc.constantFrom(...HOSTILE);

test('whatever a file has, it is read, or its mistakes have their lines', () => {
  let readable = 0;
  const text = fc.oneof(
    fc.array(hostile, { maxLength: 40 }).map((all) => all.join('')),
    fc
      .tuple(fc.array(hostile, { minLength: 1, maxLength: 3 }), fc.nat(200), fc.nat(20))
      .map(([all, at, cut]) => {
        const good = toYaml({
          policies: { lan: { recipe: 'allow', values: { networks: ['private_ranges'] } } },
          sites: { 'a.example': { config: 'a {\n\tb\n}\n', tags: ['one', '08'], enabled: false } },
        });
        return good.slice(0, at) + all.join('') + good.slice(at + cut);
      }),
  );
  fc.assert(
    fc.property(text, (given) => {
      const lines = given.split('\n').length;
      try {
        const { sites, policies } = read(given);
        readable++;
        expect(Object.getPrototypeOf(sites)).toBe(Object.prototype);
        expect(Object.getPrototypeOf(policies)).toBe(Object.prototype);
      } catch (error) {
        if (!(error instanceof Mistakes)) throw error;
        expect(error.mistakes.length).toBeGreaterThan(0);
        for (const { line } of error.mistakes) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(lines);
        }
      }
    }),
    { numRuns: some(1_000, 50_000) },
  );
  expect(readable).toBeGreaterThan(0);
});

test('whatever an export has, it reads back equal', () => {
  const word = fc.oneof(
    fc
      .array(fc.oneof(hostile, fc.string({ unit: 'binary' })), { maxLength: 8 })
      .map((all) => all.join('')),
    fc.constantFrom(...HOSTILE),
  );
  const name = word.filter((text) => text !== '' && text !== '__proto__');
  const site = fc.record(
    {
      config: word,
      upstream: word,
      enabled: fc.boolean(),
      tags: fc.array(word),
      check: fc.record({ path: fc.constantFrom('/', '/~'), every: fc.constantFrom(0, 10, 3600) }),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.dictionary(name, site, { noNullPrototype: true }), (sites) => {
      expect(read(toYaml({ policies: {}, sites })).sites).toEqual(sites);
    }),
    { numRuns: some(300, 10_000) },
  );
});
