/** Every policy that asks for addresses or for a sign-in service, behind other proxies: who gets in, and who does not. */
import { describe, expect, test } from 'bun:test';
import { withTrusted } from '../../../../src/hub/caddyfile/trusted-proxies.ts';
import { caddyIs } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';
import {
  createAddressPolicies,
  EDGE,
  FRIEND,
  FRIEND_6,
  HOP,
  SECOND_HOP,
  STRANGE_HOP,
  STRANGER,
  STRANGER_6,
} from './address-policies.ts';

const { serve, openTo, all, told } = createAddressPolicies();

type Through = readonly string[];
/** A proxy that adds whom it hears to the end of `X-Forwarded-For`, as most do. */
const forwarded = (visitor: string, claims: Through = [], ...hops: string[]): string[] => [
  `X-Forwarded-For: ${[...claims, visitor, ...hops].join(', ')}`,
];

/** What a stranger may claim. */
const FORGED: Through[] = [
  [FRIEND],
  [FRIEND_6],
  [FRIEND, HOP],
  [FRIEND, EDGE, SECOND_HOP],
  ['127.0.0.1'],
  [`${FRIEND}:443`],
  ['unknown'],
];
const CLAIMS = [
  `CF-Connecting-IP: ${FRIEND}`,
  `True-Client-IP: ${FRIEND}`,
  `X-Real-IP: ${FRIEND}`,
  `X-Client-IP: ${FRIEND}`,
  `Forwarded: for=${FRIEND}`,
  `X_Forwarded_For: ${FRIEND}`,
  'X-Forwarded-Host: open.test',
];

type Visit = [words: string, from: string, lines: string[]];
const strangers: Visit[] = [
  ...[STRANGER, STRANGER_6].flatMap((who): Visit[] => [
    [`${who} behind a hop`, HOP, forwarded(who)],
    [`${who} behind two hops`, SECOND_HOP, forwarded(who, [], HOP)],
    [`${who} behind Cloudflare and a hop`, HOP, forwarded(who, [], EDGE)],
    ...FORGED.flatMap((claims): Visit[] => [
      [`${who}, who claims ${claims}`, HOP, [...forwarded(who, claims), ...CLAIMS]],
      [
        `${who}, who claims ${claims}, two hops`,
        SECOND_HOP,
        [...forwarded(who, claims, HOP), ...CLAIMS],
      ],
      [
        `${who}, who claims ${claims}, in two headers`,
        HOP,
        [...CLAIMS, `X-Forwarded-For: ${claims.join(', ')}`, ...forwarded(who)],
      ],
    ]),
  ]),
  ['a hop that nobody trusts, and its friend', STRANGE_HOP, forwarded(FRIEND)],
  ['a hop that nobody trusts, and a trusted one', STRANGE_HOP, forwarded(FRIEND, [], HOP)],
];
const friends: Visit[] = [FRIEND, FRIEND_6].flatMap((who): Visit[] => [
  [`${who} behind a hop`, HOP, forwarded(who)],
  [`${who} behind two hops`, SECOND_HOP, forwarded(who, [], HOP)],
  [`${who} behind Cloudflare and a hop`, HOP, forwarded(who, [], EDGE)],
  [`${who}, who claims to be a stranger`, HOP, forwarded(who, [STRANGER])],
]);

const TRUSTED = withTrusted('', [HOP, SECOND_HOP, 'cloudflare']);

describe('without trusted proxies', async () => {
  const caddy = await forFile(serve(''));

  test.each([...strangers, ...friends])('%s is who connects', async (_, from, lines) =>
    // All connect from 127.0.0.0/8, which is private.
    expect(await openTo(caddy, { from, lines })).toEqual(['home.test']),
  );
});

describe.if(caddyIs('>=2.8.0'))('with trusted proxies', async () => {
  const caddy = caddyIs('>=2.8.0') ? await forFile(serve(TRUSTED)) : (null as never);

  test.each(strangers)('%s gets nowhere', async (_, from, lines) => {
    // One of them connects from a private network itself.
    const open = from === STRANGE_HOP ? ['home.test'] : [];
    expect(await openTo(caddy, { from, lines })).toEqual(open);
  });

  test.each(friends)('%s gets everywhere', async (_, from, lines) =>
    expect(await openTo(caddy, { from, lines })).toEqual(all),
  );

  test('a hop itself is who connects', async () =>
    expect(await openTo(caddy, { from: HOP })).toEqual(['home.test']));

  test('a service learns who it is, and nothing that they claim', async () => {
    told.length = 0;
    await openTo(caddy, { from: HOP, lines: [...forwarded(STRANGER, [FRIEND]), ...CLAIMS] });
    expect(told.length).toBeGreaterThan(0);
    for (const headers of told) {
      expect(headers.get('x-forwarded-for')).toBe(STRANGER);
      expect(headers.get('x-real-ip')).toBe(STRANGER);
      expect(headers.get('x-forwarded-host')).toEndWith('.test');
      expect(headers.get('x-forwarded-host')).not.toBe('open.test');
    }
  });
});

test.if(caddyIs('<2.8.0'))('a Caddy that is too old says so', async () =>
  expect(serve(TRUSTED)).rejects.toThrow("'trusted_proxies_strict'"),
);
