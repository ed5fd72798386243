/** Whatever Caddy runs, and wherever a text sends its log: the same reason, on the same line. */
import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { adaptApart } from '../../../../agent/caddy/config/adapt.ts';
import { createValidator } from '../../../../agent/caddy/config/validate.ts';
import { Failure } from '../../../../src/shared/failure.ts';
import { allCaddys } from '../../../harness/caddys.ts';
import { temporaryFolder } from '../../../harness/stack.ts';

const SITE = (body: string, options = '') => `${options}http://a.test {\n\t${body}\n}\n`;
const LOG = (body: string) => `{\n\tlog {\n\t\t${body}\n\t}\n}\n`;

const REGEXP = 'compiling matcher regexp [a: error parsing regexp: missing closing ]: `[a`';
const FILES = 'loading certificates: open /nowhere/a.pem: no such file or directory';
const faulty = (options: string) =>
  `${options}https://a.test {\n\ttls /nowhere/a.pem /nowhere/b.pem\n}\n`;

/** What is wrong with a text whose certificate is missing, by the options before its site. */
const ofFile = (what: string, options = ''): [string, string, string, number] => [
  what,
  faulty(options),
  FILES,
  options.split('\n').length + 1,
];

/** What is wrong, a text, the sentence, and the line; null if no Caddy names one. */
const REFUSED: readonly [string, string, string | RegExp, number | null][] = [
  ['a directive', SITE('bogus'), 'unrecognized directive: bogus', 2],
  ['a directive in a block', SITE('route {\n\tbogus\n}'), /^unrecognized directive: bogus/, 4],
  ['an option', '{\n\tbogus\n}\n', 'unrecognized global option: bogus', 2],
  ['a word', SITE('reverse_proxy :1 {\n\tlb_polcy x\n}'), 'unrecognized subdirective lb_polcy', 3],
  ['a module', SITE('encode lzma'), /module not registered: http\.encoders\.lzma$/, 2],
  ['a count of words', SITE('root'), /^(?:too few arguments|Wrong argument count)/, 2],
  ['a word of two lines', SITE('"bogus\nz"'), 'unrecognized directive: bogus z', 2],
  [
    'a site',
    `${SITE('respond x')}${SITE('respond y')}`,
    'ambiguous site definition: http://a.test',
    null,
  ],
  ['a regular expression', SITE('@a path_regexp [a\n\trespond @a x'), REGEXP, null],
  ofFile('a file'),
  ofFile('a file, logged to a console', LOG('format console')),
  ofFile('a file, logged with other names', LOG('format json {\n\t\t\tlevel_key l\n\t\t}')),
  ofFile('a file, not logged', LOG('output discard')),
  ofFile('a file, logged elsewhere', LOG('output file FOLDER/x.log')),
  ofFile('a file, logged if it were fatal', LOG('level FATAL')),
  ofFile('a file, logged for a module', LOG('include http')),
];

describe.each(allCaddys())('$name', ({ bin }) => {
  const folder = temporaryFolder();
  const home = join(folder, 'home');
  const commands = {
    bin,
    prefix: [],
    env: { PATH: process.env.PATH ?? '', HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
    deadline: 30_000,
  };
  const validator = createValidator(commands);
  afterAll(() => validator.close());

  const refusal = async (run: Promise<unknown>) => {
    const failure = await run.then(
      () => null,
      (error: unknown) => error,
    );
    if (!(failure instanceof Failure)) throw failure ?? new Error('accepted');
    return { code: failure.code, detail: failure.detail, line: failure.at.line };
  };

  test.each(REFUSED)('says what is wrong with %s', async (_, text, sentence, line) => {
    const found = await refusal(validator.validate(text.replaceAll('FOLDER', folder)));
    expect(found).toEqual({
      code: 'PROXY_REJECTED',
      detail: typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
      line: line ?? undefined,
    });
    expect(found.detail).not.toMatch(/without giving a reason|[\p{Cc}{}]|"level"/u);
  });

  // The sentences are read by the same code.
  test('says the same when it adapts', async () => {
    const some = ['a directive in a block', 'an option', 'a module'];
    for (const [, text, sentence, line] of REFUSED.filter(([name]) => some.includes(name))) {
      const found = await refusal(adaptApart(text, commands));
      const detail = typeof sentence === 'string' ? sentence : expect.stringMatching(sentence);
      expect(found).toEqual({ code: 'PROXY_REJECTED', detail, line: line ?? undefined });
    }
  });

  test('accepts what is sound, wherever its log is', async () => {
    for (const log of ['output discard', 'level FATAL', 'format console']) {
      await validator.validate(SITE('respond x', LOG(log)));
    }
  });
});
