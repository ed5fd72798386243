/** The YAML of an export: it reads back equal by the rules of YAML 1.2 and of 1.1. */
import { expect, test } from 'bun:test';
import { parse } from 'yaml';
import { toYaml } from '../../../src/features/apply/yaml.ts';
import { some } from '../../harness/full.ts';
import fc from '../../harness/generated.ts';
import { words } from '../../harness/words.ts';

const MISREAD = ['no', 'y', 'On', '08', '1e3', '0x10', '0o7', '1_000', '12:30:45', '2001-01-01'];
const TYPES = ['~', 'null', '', '<<', '=', '.inf', '+1', '5.', 'true', 'TRUE', '-', '?', '*.a'];

test.each([...MISREAD, ...TYPES])(
  'a text is in quotes that some reader takes as something else: %p',
  (text) => {
    const written = toYaml({ policies: {}, sites: { [text]: { config: text } } });
    expect(written).toBe(
      `sites:\n  ${JSON.stringify(text)}:\n    config: ${JSON.stringify(text)}\n`,
    );
  },
);

test.each(['\u007f', '\u0085', '\u2028', '\ufeff', '\ufffe'])(
  '%j is written as its number, so that no reader ends the line there or refuses it',
  (character) => {
    const config = `a${character}\n\tb`;
    const written = toYaml({ policies: {}, sites: { 'app.example': { config } } });
    expect(written).toMatch(/^[\n\x20-\x7e]+$/);
    expect(parse(written)).toEqual({ sites: { 'app.example': { config } } });
  },
);

test('a config with returns is one line in quotes, whose breaks lose nothing', () => {
  const config = `${'\0'.repeat(5)}\r\n \n\0${'\r'.repeat(40)}`;
  const written = toYaml({ policies: {}, sites: { 'app.example': { config } } });
  expect(parse(written)).toEqual({ sites: { 'app.example': { config } } });
});

test('a config of several lines is a block, with its tabs; what is undefined is left out', () => {
  const values = { networks: ['private_ranges'] };
  const config = 'redir /a {\n\tb\n}\n';
  const sites = { 'app.example': { config, upstream: undefined, enabled: false, check: null } };
  expect(toYaml({ policies: { lan: { recipe: 'allow', values } }, sites })).toBe(`policies:
  lan:
    recipe: allow
    values:
      networks:
        - private_ranges
sites:
  app.example:
    config: |
      redir /a {
      \tb
      }
    enabled: false
    check: null
`);
});

test('without sites there is still a map of them', () => {
  expect(toYaml({ policies: {}, sites: {} })).toBe('sites: {}\n');
});

test('the same list twice is written twice, without an alias', () => {
  const tags = ['media'];
  const written = toYaml({ policies: {}, sites: { a: { tags }, b: { tags } } });
  expect(written).not.toMatch(/[&*]/);
});

const piece = fc.constantFrom(
  ...MISREAD,
  ...TYPES,
  ...words(`
    # : | > " ' --- ... % @ &a !!js {upstream} [ ,
  `),
  '\n',
  '\n\n',
  '\t',
  ' ',
  '  ',
  '\r\n',
  ' #',
  ': ',
  '\\',
  '`',
  '\0',
  '\u0085',
  '\u2028',
  '\ufeff',
  '😀',
);
const text = fc.oneof(
  fc
    .array(fc.oneof(piece, fc.string({ unit: 'binary' })), { maxLength: 8 })
    .map((all) => all.join('')),
  fc.integer({ min: 1020, max: 1030 }).map((length) => 'a'.repeat(length)),
);
const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text));
// In YAML 1.1, "<<" merges even in quotes.
const name = text.filter((name) => name !== '__proto__' && name !== '<<');
const named = fc.dictionary(
  name,
  fc.dictionary(name, fc.oneof(value, fc.dictionary(fc.constantFrom('path', 'users'), value)), {
    noNullPrototype: true,
    maxKeys: 5,
  }),
  { noNullPrototype: true, minKeys: 1, maxKeys: 5 },
);

test('what is written reads back equal', () => {
  fc.assert(
    fc.property(named, named, (policies, sites) => {
      const written = toYaml({ policies, sites });
      expect(parse(written)).toEqual({ policies, sites });
      expect(parse(written, { version: '1.1' })).toEqual({ policies, sites });
    }),
    { numRuns: some(300, 10_000) },
  );
});
