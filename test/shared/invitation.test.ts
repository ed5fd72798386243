/** The line that an agent prints and a person pastes. */
import { describe, expect, test } from 'bun:test';
import { formatInvitation, type Invitation, parseInvitation } from '../../src/shared/invitation.ts';

const INVITATION: Invitation = {
  url: 'https://192.168.1.5:3002',
  fingerprint: 'ab'.repeat(32),
  secret: 'Ab-_'.repeat(10).concat('xyz'),
};
const word = formatInvitation(INVITATION);
const of = (value: unknown) => `sbxi_${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
const { url, fingerprint, secret } = INVITATION;

describe('no invitation', () => {
  test.each([
    ['nothing', ''],
    ['another word', 'hello'],
    ['the prefix alone', 'sbxi_'],
    ['bytes that are no text', 'sbxi_____'],
    ['another prefix', word.replace('sbxi_', 'sbxk_')],
    ['one that is too long', word + 'A'.repeat(1_000)],
    ['an object', of(INVITATION)],
    ['a number', of(7)],
    ['null', of(null)],
    ['too few fields', of([url, fingerprint])],
    ['too many fields', of([url, fingerprint, secret, ''])],
    ['nested fields', of([[url], [fingerprint], { secret }])],
    ['a field that is no text', of([{ toString: 1 }, fingerprint, secret])],
    ['plain HTTP', of(['http://192.168.1.5:3002', fingerprint, secret])],
    ['a path', of([`${url}/enrol`, fingerprint, secret])],
    ['a user', of(['https://a:b@192.168.1.5:3002', fingerprint, secret])],
    ['no URL', of(['https://', fingerprint, secret])],
    ['a fingerprint with colons', of([url, 'AB:'.repeat(32).slice(0, -1), secret])],
    ['a short secret', of([url, fingerprint, secret.slice(1)])],
  ])('is %s', (_, text) => {
    expect(parseInvitation(text)).toBeNull();
  });

  test('is one that was cut anywhere', () => {
    for (let length = 0; length < word.length; length++) {
      expect(parseInvitation(word.slice(0, length))).toBeNull();
    }
  });
});

test('it is read as it was made, also with what surrounds it in a terminal', () => {
  expect(word).toMatch(/^sbxi_[\w-]+$/);
  const broken = `${word.slice(0, 80)}\n  ${word.slice(80)}\r\n`;
  for (const text of [word, `invitation: ${word}\n`, `  ${word} `, broken]) {
    expect(parseInvitation(text)).toEqual(INVITATION);
  }
  const six = { ...INVITATION, url: 'https://[fd00::1]' };
  expect(parseInvitation(formatInvitation(six))).toEqual(six);
});
