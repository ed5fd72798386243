/** In which dialects configs and preambles must stay inside their blocks. */
import { describe, expect, test } from 'bun:test';
import { assertContained, assertPreambleContained } from '../../../src/hub/publish/containment.ts';
import type { Vhost } from '../../../src/hub/publish/vhost.ts';
import { dialectOf } from '../../../src/shared/caddyfile/dialect.ts';

const vhost = (config: string): Vhost => ({
  id: 1,
  position: 1,
  domain: 'http://a.example',
  config,
  upstream: '',
  enabled: true,
  policies: [],
  tags: [],
  createdAt: new Date(),
  updatedAt: new Date(),
});
const accepts = async (version: string | null, config: string, preamble = ''): Promise<boolean> => {
  try {
    assertPreambleContained(preamble, dialectOf(version));
    await assertContained([vhost(config)], preamble, dialectOf(version));
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

test('a named route is a site before 2.7', async () => {
  expect(await accepts('2.6.2', 'respond x', '&(r) {\n}')).toBe(false);
  expect(await accepts('2.7.0', 'respond x', '&(r) {\n}')).toBe(true);
});
