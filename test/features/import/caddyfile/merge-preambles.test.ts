/** Merging the options and snippets of two preambles. */
import { describe, expect, test } from 'bun:test';
import {
  comparePreambles,
  differing,
  mergePreambles,
} from '../../../../src/features/import/caddyfile/merge-preambles.ts';

const DIALECT = { heredocs: true, importBlocks: true };
const base =
  '{\n\temail a@b.example # mine\n\torder a first\n\torder b last\n}\n\n# head\n(s) {\n\trespond 1\n}';
const merge = (one: string, other: string, isReplaced = false) =>
  mergePreambles(one, other, () => isReplaced, DIALECT);
const differ = (one: string, other: string) =>
  differing(comparePreambles(one, other, DIALECT), DIALECT).map(({ name }) => name);

describe('what differs', () => {
  test('is not spacing, order or comments', () => {
    const same = '(s) { # other\n  respond   1\n}\n{\n}\n';
    expect(differ(base, same)).toEqual([]);
    expect(differ(base, '{\norder a first\n\n  order b last\nemail a@b.example\n}')).toEqual([]);
  });

  test('is a word, a line, a quote, or one of several', () => {
    expect(differ(base, '(s) {\n\trespond\n\t1\n}')).toEqual(['(s)']);
    expect(differ(base, '(s) {\n\trespond "1"\n}')).toEqual(['(s)']);
    expect(differ(base, '{\n\temail x\n\torder a first\n}')).toEqual(['email', 'order']);
  });

  test('is not what only one side has', () => {
    expect(differ(base, '(t) {\n}\n&(s) {\n}')).toEqual([]);
  });
});

describe('a merge', () => {
  test('takes nothing away', () => {
    for (const other of ['', base, '{\n}', '# a comment']) expect(merge(base, other)).toBe(base);
    expect(merge('', base)).toContain('email a@b.example');
  });

  test('adds options to the block, and snippets with their comments at the end', () => {
    expect(merge(base, '{\n\tdebug\n}\n\n# why\n(t) {\n\trespond 2\n}\n')).toBe(
      `${base.replace('{\n', '{\n\tdebug\n')}\n\n# why\n(t) {\n\trespond 2\n}`,
    );
    expect(merge('(s) {\n}', '{\n\tdebug\n}')).toBe('{\n\tdebug\n}\n\n(s) {\n}');
  });

  test('replaces parts where they are, if asked to', () => {
    const other = '{\n\torder c first\n\temail x\n}\n(s) {\n\trespond 2\n}\n';
    expect(merge(base, other)).toBe(base);
    expect(merge(base, other, true)).toBe(
      '{\n\temail x # mine\n\torder c first\n\t\n}\n\n(s) {\n\trespond 2\n}',
    );
  });

  test('does not take a brace in a heredoc for the end of an option', () => {
    const text = '{\n\tdefault_sni <<E\n\t\ta }\n\t\t}\n\t\tE\n\tdebug\n}';
    expect(comparePreambles(text, '', DIALECT).map(({ name }) => name)).toEqual([
      'default_sni',
      'debug',
    ]);
    expect(merge('', text)).toContain('<<E\n\t\ta }\n\t\t}\n\t\tE');
  });
});
