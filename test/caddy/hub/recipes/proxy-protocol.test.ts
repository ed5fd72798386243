/**
 * Every policy that asks for addresses behind a load balancer that speaks PROXY protocol, alone and before other
 * trusted proxies of each kind: who gets in, and who does not.
 */
import { describe, expect, test } from 'bun:test';
import { withTrusted } from '../../../../src/hub/caddyfile/trusted-proxies.ts';
import { caddyIs } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';
import type { SitesCaddy } from '../../../hub/recipes/sites-caddy.ts';
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
  type Visit,
} from './address-policies.ts';

const { serve, openTo, all } = createAddressPolicies();
const preambleWith = (wrapper: string) =>
  `{\n\tservers {\n\t\tlistener_wrappers {\n\t\t\t${wrapper}\n\t\t}\n\t}\n}\n`;
/** The load balancer is the only one that may speak it. */
const PREAMBLE = preambleWith(`proxy_protocol {\n\t\t\t\tallow ${HOP}/32\n\t\t\t}`);
const serving = async (preamble: string) =>
  caddyIs('>=2.8.0') ? await forFile(serve(preamble)) : (null as never as SitesCaddy);

const kindOf = (address: string) => (address.includes(':') ? 'TCP6' : 'TCP4');
const ownOf = (address: string) => (address.includes(':') ? '::1' : '127.0.0.1');
/** The first version of the protocol, as text. */
const said = (who: string) => `PROXY ${kindOf(who)} ${who} ${ownOf(who)} 1 80\r\n`;
const forwarded = (...addresses: string[]) => [`X-Forwarded-For: ${addresses.join(', ')}`];

type Named = [words: string, visit: Visit];
const strangers: Named[] = [STRANGER, STRANGER_6].flatMap((who): Named[] => [
  [`${who}`, { from: HOP, before: said(who) }],
  ...[FRIEND, FRIEND_6, HOP, EDGE].map(
    (claimed): Named => [
      `${who}, who claims to be ${claimed}`,
      { from: HOP, before: said(who), lines: [...forwarded(claimed), `X-Real-IP: ${claimed}`] },
    ],
  ),
  [`${who}, who says the protocol too`, { from: HOP, before: `${said(who)}${said(FRIEND)}` }],
]);
/** They connect from networks that are private, and say the protocol themselves. */
const impostors: Named[] = [STRANGE_HOP, SECOND_HOP].flatMap((from) =>
  [FRIEND, FRIEND_6, EDGE].map(
    (claimed): Named => [
      `${from} as ${claimed}`,
      { from, before: said(claimed), lines: forwarded(FRIEND) },
    ],
  ),
);
const friends: Named[] = [FRIEND, FRIEND_6].map((who) => [who, { from: HOP, before: said(who) }]);

describe.if(caddyIs('>=2.8.0'))('behind a load balancer', async () => {
  const caddy = await serving(PREAMBLE);

  test.each(strangers)('%s gets nowhere', async (_, visit) =>
    expect(await openTo(caddy, visit)).toEqual([]),
  );

  test.each(impostors)('%s is only who connects', async (_, visit) => {
    const open = await openTo(caddy, visit);
    expect(open.filter((one) => one !== 'home.test')).toEqual([]);
  });

  test.each(friends)('%s gets everywhere', async (_, visit) =>
    expect(await openTo(caddy, visit)).toEqual(all),
  );

  test.each(friends)('%s does, whatever else they say', async (_, visit) =>
    expect(await openTo(caddy, { ...visit, lines: forwarded(STRANGER) })).toEqual(all),
  );
});

describe.if(caddyIs('>=2.8.0'))('where nobody is allowed to speak it', async () => {
  const caddy = await serving(preambleWith('proxy_protocol'));

  test.each(friends)('%s is only who connects', async (_, visit) =>
    expect(await openTo(caddy, visit)).toEqual(['home.test']),
  );
});

/** Trusted after the load balancer: a proxy of each kind, by an address in it. */
const CONTAINER = '172.18.0.5';
const OFFICE = '192.0.2.77';
const OFFICE_6 = '2001:db8:77::1';
const KINDS = [EDGE, CONTAINER, OFFICE, OFFICE_6];
const TRUSTED = withTrusted(PREAMBLE, [
  'cloudflare',
  '172.18.0.0/16',
  '192.0.2.64/26',
  '2001:db8:77::/48',
]);
const STRANGE = '192.0.2.5';

describe.if(caddyIs('>=2.8.0'))('behind a load balancer and trusted proxies', async () => {
  const caddy = await serving(TRUSTED);

  const far: Named[] = KINDS.flatMap((proxy) =>
    [STRANGER, STRANGER_6].flatMap((who): Named[] => [
      [`${who} by ${proxy}`, { from: HOP, before: said(proxy), lines: forwarded(who) }],
      ...KINDS.map(
        (other): Named => [
          `${who}, who claims ${FRIEND}, by ${other} and ${proxy}`,
          { from: HOP, before: said(proxy), lines: forwarded(FRIEND, who, other) },
        ],
      ),
    ]),
  );
  test.each(far)('%s gets nowhere', async (_, visit) =>
    expect(await openTo(caddy, visit)).toEqual([]),
  );

  test.each(strangers)('%s directly gets nowhere', async (_, visit) =>
    expect(await openTo(caddy, visit)).toEqual([]),
  );

  test.each(impostors)('%s is only who connects', async (_, visit) => {
    const open = await openTo(caddy, visit);
    expect(open.filter((one) => one !== 'home.test')).toEqual([]);
  });

  test('a proxy that nobody trusts is who connects, whatever it forwards', async () => {
    for (const lines of [forwarded(FRIEND), forwarded(FRIEND, EDGE), forwarded(FRIEND_6, OFFICE)]) {
      const open = await openTo(caddy, { from: HOP, before: said(STRANGE), lines });
      // It is in no network that is blocked.
      expect(open).toEqual(['block.test']);
    }
  });

  const near: Named[] = KINDS.flatMap((proxy) =>
    [FRIEND, FRIEND_6].flatMap((who): Named[] => [
      [`${who} by ${proxy}`, { from: HOP, before: said(proxy), lines: forwarded(who) }],
      ...KINDS.map(
        (other): Named => [
          `${who} by ${other} and ${proxy}`,
          { from: HOP, before: said(proxy), lines: forwarded(STRANGER, who, other) },
        ],
      ),
    ]),
  );
  test.each(near)('%s gets everywhere', async (_, visit) =>
    expect(await openTo(caddy, visit)).toEqual(all),
  );
});

test.if(caddyIs('<2.7.0'))('a Caddy that is too old says so', async () =>
  expect(serve(PREAMBLE)).rejects.toThrow('proxy_protocol'),
);
