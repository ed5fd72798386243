/** Every policy that asks for addresses or for a sign-in service, behind other proxies: who gets in, and who does not. */
import { describe, expect, test } from 'bun:test';
import { withNetworks, withTrusted } from '../../../../src/hub/caddyfile/trusted-proxies.ts';
import type { Values } from '../../../../src/hub/recipes/recipe.ts';
import { caddyIs } from '../../../harness/caddys.ts';
import { forFile, serverForFile } from '../../../harness/for-file.ts';
import { behind, bodyOf, request, serveCaddyfile } from '../../../hub/recipes/sites-caddy.ts';

/** The proxies that are trusted, and another one, which has an address of a friend’s network. */
const HOP = '127.0.0.9';
const SECOND_HOP = '127.0.0.8';
const STRANGE_HOP = '127.0.0.3';
/** Of Cloudflare, which stands before the second hop. */
const EDGE = '173.245.48.7';

const FRIEND = '203.0.113.7';
const FRIEND_6 = '2001:db8::7';
const STRANGER = '198.51.100.1';
const STRANGER_6 = '2001:db8:1::1';
const NETWORKS = [FRIEND, '2001:db8::/64'];

/** Lets in, by what it is told; nobody is signed in. */
const told: Headers[] = [];
const service = serverForFile(({ headers }) => {
  told.push(headers);
  const isFriend = [FRIEND, FRIEND_6].includes(headers.get('x-forwarded-for') ?? '');
  const isOpen = headers.get('x-forwarded-host') === 'open.test';
  return new Response(null, { status: isFriend || isOpen ? 200 : 401 });
});
const address = `127.0.0.1:${service.port}`;
const users = [{ name: 'ada', hash: `$2a$04$${'a'.repeat(53)}` }];
const exempt = { exemptNetworks: NETWORKS };

const POLICIES: [host: string, recipe: string, values: Values][] = [
  ['allow.test', 'allow', { networks: NETWORKS }],
  ['home.test', 'allow', { networks: ['private_ranges', ...NETWORKS] }],
  ['block.test', 'block', { networks: [STRANGER, '2001:db8:1::/64', '127.0.0.0/8', EDGE] }],
  ['maintenance.test', 'maintenance', exempt],
  ['password.test', 'basic-auth', { users, ...exempt }],
  ['authelia.test', 'authelia', { address, ...exempt }],
  ['authentik.test', 'authentik', { address, ...exempt }],
  ['service.test', 'forward-auth', { address, uri: '/check', copyHeaders: [], ...exempt }],
  ['told.test', 'forward-auth', { address, uri: '/check', copyHeaders: [] }],
];

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

const serve = (preamble: string) =>
  serveCaddyfile((port) => {
    const options =
      preamble === '' ? '{\n\tadmin off\n}\n' : preamble.replace('{', '{\n\tadmin off');
    const blocks = POLICIES.map(
      ([host, id, values]) => `http://${host}:${port} {\n${behind([[id, values]])}\n}\n`,
    );
    return `${withNetworks(options)}${blocks.join('')}`;
  });

/** The policies past which a visit came. */
async function openTo(caddy: Awaited<ReturnType<typeof serve>>, [, from, lines]: Visit) {
  const answers = POLICIES.map(async ([host]) => {
    const answer = await caddy.send(request(host, { lines }), from);
    return bodyOf(answer) === 'BODY' ? [host] : [];
  });
  return (await Promise.all(answers)).flat();
}

const TRUSTED = withTrusted('', [HOP, SECOND_HOP, 'cloudflare']);

describe('without trusted proxies', async () => {
  const caddy = await forFile(serve(''));

  test.each([...strangers, ...friends])('%s is who connects', async (words, from, lines) =>
    // All connect from 127.0.0.0/8, which is private.
    expect(await openTo(caddy, [words, from, lines])).toEqual(['home.test']),
  );
});

describe.if(caddyIs('>=2.8.0'))('with trusted proxies', async () => {
  const caddy = caddyIs('>=2.8.0') ? await forFile(serve(TRUSTED)) : (null as never);
  const all = POLICIES.map(([host]) => host);

  test.each(strangers)('%s gets nowhere', async (words, from, lines) => {
    // One of them connects from a private network itself.
    const open = from === STRANGE_HOP ? ['home.test'] : [];
    expect(await openTo(caddy, [words, from, lines])).toEqual(open);
  });

  test.each(friends)('%s gets everywhere', async (words, from, lines) =>
    expect(await openTo(caddy, [words, from, lines])).toEqual(all),
  );

  test('a hop itself is who connects', async () =>
    expect(await openTo(caddy, ['', HOP, []])).toEqual(['home.test']));

  test('a service learns who it is, and nothing that they claim', async () => {
    told.length = 0;
    await openTo(caddy, ['', HOP, [...forwarded(STRANGER, [FRIEND]), ...CLAIMS]]);
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
