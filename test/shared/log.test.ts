import { describe, expect, test } from 'bun:test';
import {
  createLog,
  type Level,
  type LogOptions,
  reasonOf,
  reportTo,
  withFields,
} from '../../src/shared/log.ts';
import fc from '../harness/generated.ts';

const at = new Date('2026-11-20T22:17:03.468Z');

function lines(options: LogOptions, write: (log: ReturnType<typeof createLog>) => void): string[] {
  const written: string[] = [];
  write(
    createLog(
      (line) => written.push(line),
      () => at,
      options,
    ),
  );
  return written;
}

/** Parses a line of logfmt: names, `=`, and bare or quoted values. */
function readLogfmt(line: string): Record<string, string> {
  const fields: Record<string, string> = {};
  const pair = /(\w+)=(?:("(?:[^"\\]|\\.)*")|([^\s"=]+))(?: |$)/y;
  while (pair.lastIndex < line.length) {
    const [, name = '', quoted, bare = ''] = pair.exec(line) ?? [];
    if (name === '') throw new Error(`not logfmt: ${line}`);
    fields[name] = quoted === undefined ? bare : JSON.parse(quoted);
  }
  return fields;
}

const HOSTILE = [
  'a.example\ntime=2026-01-01T00:00:00.000Z level=info event=forged',
  'a\r\nb',
  '\x1b[2J\x1b]0;title\x07',
  '\x9b31m',
  '\u2028\u2029\u202etxt.exe\u200b\ufeff',
  '"} {"level":"error',
  '" event="forged',
  'x=y',
  '',
  '\ud800',
  '\\',
  '\0',
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
const OBEYED = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\ufeff]/;

describe('a logged value cannot add a line or control a terminal', () => {
  test.each(['logfmt', 'json'] as const)('%s', (format) => {
    const hostile = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(hostile, hostile, (event, value) => {
        const [line = '', ...more] = lines({ format }, (log) => log(event, { value }));
        expect(more).toEqual([]);
        expect(line).not.toMatch(OBEYED);
        const read = format === 'json' ? JSON.parse(line) : readLogfmt(line);
        expect(read).toEqual({ time: at.toISOString(), level: 'info', event, value });
      }),
      { numRuns: 500 },
    );
  });

  test('a field cannot replace the time, the level or the event', () => {
    const forged = { time: 'x', level: 'error', event: 'forged', n: 1 };
    for (const format of ['logfmt', 'json'] as const) {
      const [line = ''] = lines({ format }, (log) => log('real', forged));
      expect(line).not.toContain('forged');
      expect(line).toContain('2026-11-20T22:17:03.468Z');
    }
  });

  test('a long value is cut', () => {
    const [line = ''] = lines({}, (log) => log('long', { value: 'x'.repeat(1_000_000) }));
    expect(line.length).toBeLessThan(2_100);
  });
});

describe('secrets', () => {
  const token = `sbx_${'a1B2'.repeat(10).slice(0, 38)}`;

  test('that are logged by mistake are removed', () => {
    for (const format of ['logfmt', 'json'] as const) {
      const [line = ''] = lines({ format }, (log) =>
        log('oops', {
          a: `token ${token}`,
          b: 'Authorization: Bearer abc.def',
          c: '$argon2id$v=19$m=19456$x$y',
        }),
      );
      for (const secret of [token, 'abc.def', 'argon2id']) expect(line).not.toContain(secret);
      expect(line.match(/\[redacted\]/g)?.length).toBe(3);
    }
  });

  test('in the parameters of a failed statement are in neither its reason nor its stack', () => {
    const error = new Error('Failed query: insert into users\nparams: ada,s3cret', {
      cause: new Error('database is locked'),
    });
    expect(reasonOf(error)).toBe(
      'Error: Failed query: insert into users (Error: database is locked)',
    );
    const written = lines({ level: 'debug' }, (log) => reportTo(log)(error));
    expect(written.length).toBe(2);
    expect(written.join()).not.toContain('s3cret');
    expect(written[1]).toContain('event=stack');
  });
});

describe('a line', () => {
  test('is logfmt, or JSON with numbers as numbers', () => {
    const fields = { pid: 42, ok: true, none: undefined, nothing: null, words: 'two words' };
    const write = (log: ReturnType<typeof createLog>) =>
      withFields(log, { part: 'agent' })('proxy started', fields, 'warn');
    const context = () => ({ request_id: 'a,b' });
    expect(lines({ context }, write)).toEqual([
      'time=2026-11-20T22:17:03.468Z level=warn event="proxy started" request_id=a,b part=agent pid=42 ok=true words="two words"',
    ]);
    expect(lines({ format: 'json', context }, write)).toEqual([
      '{"time":"2026-11-20T22:17:03.468Z","level":"warn","event":"proxy started","request_id":"a,b","part":"agent","pid":42,"ok":true,"words":"two words"}',
    ]);
  });

  test.each<[Level, number]>([
    ['error', 1],
    ['warn', 2],
    ['info', 3],
    ['debug', 4],
  ])('below level %s is not written', (level, count) => {
    const written = lines({ level }, (log) => {
      log('one', {}, 'error');
      log('two', {}, 'warn');
      log('three');
      log('four', {}, 'debug');
    });
    expect(written.length).toBe(count);
  });
});
