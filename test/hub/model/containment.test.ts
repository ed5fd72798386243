/** In which dialects configs and preambles must stay inside their blocks. */
import { describe, expect, test } from 'bun:test';
import { assertContained, assertPreambleContained } from '../../../src/hub/model/containment.ts';
import { EMPTY_SET, type Vhost } from '../../../src/hub/model/vhost.ts';
import { dialectOf } from '../../../src/shared/caddyfile/dialect.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { storedPolicy, storedVhost } from '../../harness/vhost.ts';

const vhost = (config: string): Vhost => storedVhost({ config });
const accepts = async (version: string | null, config: string, preamble = ''): Promise<boolean> => {
  try {
    assertPreambleContained(preamble, dialectOf(version));
    await assertContained([vhost(config)], { ...EMPTY_SET, preamble }, dialectOf(version));
    return true;
  } catch {
    return false;
  }
};

/** What leaves its block only before 2.7, and only since. */
const OLD = 'respond <<log\n}\nhttp://hidden.example {\n\trespond hidden\n\tlog';
const NEW =
  'header X <<E\n}\n\thandle {\n\trespond E\n}\nhttp://hidden.example {\n\thandle <<E\n}\n\tE {\n}';

describe('a text that is a site only in one dialect', () => {
  test.each([
    ['2.6.2', false, false],
    ['unknown', false, false],
    ['2.7.0', true, false],
    ['2.11.4', true, false],
  ])('is refused by %s', async (version, old, now) => {
    const known = version === 'unknown' ? null : version;
    expect(await accepts(known, OLD)).toBe(old);
    expect(await accepts(known, NEW)).toBe(now);
    const snippet = (text: string) => `(s) {\n${text}\n}`;
    expect(await accepts(known, 'import s', snippet(OLD))).toBe(old);
  });
});

test('a snippet that is one in one dialect only cannot be imported by an old Caddy', async () => {
  const preamble = '(a) {\n\trespond <<E\n}\n(s) {\n\trespond E\n}\n';
  expect(await accepts('2.6.2', 'import s', preamble)).toBe(false);
  expect(await accepts(null, 'import s', preamble)).toBe(false);
  expect(await accepts('2.6.2', 'respond x', '(a) {\n\trespond "<<E"\n}')).toBe(true);
});

describe('a snippet with settings of the site beside handlers', () => {
  const PREAMBLE =
    '(with) {\n\tlog\n\trespond {args.0}\n}\n(both) {\n\ttls internal\n\trespond x\n}\n(in) {\n\timport with b\n}\n(errors) {\n\thandle_errors {\n\t\trespond {args.0}\n\t}\n}';
  const policies = [storedPolicy()];
  const SET = { ...EMPTY_SET, preamble: PREAMBLE };
  const refusal = async (config: string, of: Vhost['policies'] = policies) => {
    const site = { ...vhost(config), policies: of };
    const error: unknown = await assertContained([site], SET, dialectOf(null)).catch((e) => e);
    return error instanceof Failure ? [error.detail, error.at.vhost?.line] : error;
  };

  test.each([
    ['tls internal\nimport with a', 'with', 2],
    ['import both\nimport both', 'both', 2],
    ['respond a\n\nimport in', 'with', 3],
    ['import errors a', 'errors', 1],
    ['http://a.example { # a\n\trespond a\n\timport with a\n}', 'with', 3],
  ])('is refused with policies if it cannot be divided: %j', async (config, name, line) => {
    expect(await refusal(config)).toEqual([expect.stringContaining(`the snippet ${name} `), line]);
    expect(await refusal(config, [])).toBeUndefined();
  });

  test.each([['import both'], ['handle {\n\timport with a\n}']])('%j is not', async (config) => {
    expect(await refusal(config)).toBeUndefined();
  });
});

test('a named route is a site before 2.7', async () => {
  expect(await accepts('2.6.2', 'respond x', '&(r) {\n}')).toBe(false);
  expect(await accepts('2.7.0', 'respond x', '&(r) {\n}')).toBe(true);
});
