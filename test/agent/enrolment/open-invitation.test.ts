/** The one-time secret of an invitation. */
import { beforeEach, expect, test } from 'bun:test';
import { createOpenInvitation, type OpenInvitation } from '../../../agent/enrolment/enrolment.ts';

const MINUTE = 60_000;
let time: number;
let closed: number;
let invitation: OpenInvitation;
beforeEach(() => {
  time = 0;
  closed = 0;
  invitation = createOpenInvitation(
    () => time,
    () => closed++,
  );
});

const redeem = (secret: string, use = async () => 'used') =>
  invitation
    .redeem(secret, use)
    .catch(({ code, message }: { code?: string; message: string }) => code ?? message);
const REFUSED = 'INVITATION_INVALID';

test('a wrong secret is refused, however it looks, and five close the invitation', async () => {
  const { secret } = invitation;
  for (const wrong of ['', 'x', `${secret}x`, secret.slice(1)]) {
    expect(await redeem(wrong)).toBe(REFUSED);
  }
  expect(closed).toBe(0);
  expect(await redeem(secret.toUpperCase())).toBe(REFUSED);
  expect([closed, await redeem(secret)]).toEqual([1, REFUSED]);
  expect(await redeem('x')).toBe(REFUSED);
  expect(closed).toBe(1);
});

test('four wrong ones do not', async () => {
  for (let tries = 0; tries < 4; tries++) await redeem('x');
  expect(await redeem(invitation.secret)).toBe('used');
});

test('it is refused once it was used', async () => {
  expect(await redeem(invitation.secret)).toBe('used');
  expect(await redeem(invitation.secret)).toBe(REFUSED);
});

test('it is refused from ten minutes on, and not before', async () => {
  time = 10 * MINUTE;
  expect(await redeem(invitation.secret)).toBe(REFUSED);
  time = 10 * MINUTE - 1;
  expect(await redeem(invitation.secret)).toBe('used');
});

test('it is refused while someone else uses it, and open again if that fails', async () => {
  const { promise, reject } = Promise.withResolvers<string>();
  const first = redeem(invitation.secret, () => promise);
  expect(await redeem(invitation.secret)).toBe(REFUSED);
  reject(new Error('not possible'));
  expect(await first).toBe('not possible');
  expect(await redeem(invitation.secret)).toBe('used');
});

test('five wrong ones while someone uses it close it, even if that fails', async () => {
  const { promise, reject } = Promise.withResolvers<string>();
  const first = redeem(invitation.secret, () => promise);
  for (let tries = 0; tries < 5; tries++) await redeem('x');
  reject(new Error('not possible'));
  expect(await first).toBe('not possible');
  expect([closed, await redeem(invitation.secret)]).toEqual([1, REFUSED]);
});

test('every secret is another', () => {
  const other = createOpenInvitation(
    () => 0,
    () => {},
  );
  expect(invitation.secret).toMatch(/^[\w-]{43}$/);
  expect(other.secret).not.toBe(invitation.secret);
});
