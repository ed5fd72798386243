/** Access lists of Nginx Proxy Manager become policies that let in nobody else. */
import { describe, expect, test } from 'bun:test';
import {
  hstsPolicy,
  missingList,
  type Protection,
  protectionOf,
  protectionOfClients,
} from '../../../src/features/import-npm/npm/access.ts';
import type { AccessList } from '../../../src/features/import-npm/npm/rows.ts';
import { recipeOf } from '../../../src/hub/recipes/registry.ts';
import { checkValues } from '../../../src/hub/recipes/values.ts';
import { some } from '../../harness/full.ts';
import fc from '../../harness/generated.ts';
import { words } from '../../harness/words.ts';
import { caddyStatus, nginxStatus, type Visitor } from './access-model.ts';

const RUNS = some(800, 50_000);

const list = (part: Partial<AccessList>): AccessList => ({
  id: 3,
  name: 'Family',
  satisfies: 'all',
  passesAuthorization: true,
  users: [],
  clients: [],
  ...part,
});

/** Such as `allow 10.0.0.0/8`. */
const clientsOf = (...lines: string[]): AccessList['clients'] =>
  lines.map((line) => {
    const [directive = '', address = ''] = line.split(' ');
    return { directive: directive === 'allow' ? 'allow' : 'deny', address };
  });

const ann = { name: 'ann', password: 'one' };
const bob = { name: 'bob', password: 'two' };

/** Recipe and values of each. */
const shape = ({ policies }: Protection) =>
  policies.map(({ recipe, values }) => [recipe, ...Object.values(values)]);
const levels = ({ remarks }: Protection) => remarks.map(({ level }) => level);
const isOff = (protection: Protection) => levels(protection).includes('error');

describe('clients', () => {
  test.each([
    [['allow 192.168.0.0/16', 'allow fd00::/8'], [['allow', ['192.168.0.0/16', 'fd00::/8']]]],
    [['allow 192.168.1.50/24', 'deny all'], [['allow', ['192.168.1.0/24']]]],
    [['allow 192.168.001.009'], [['allow', ['192.168.1.9']]]],
    [['allow FD00:0:0::1/8', 'allow fd00::5'], [['allow', ['fd00::/8']]]],
    [['deny 203.0.113.7', 'allow all'], [['block', ['203.0.113.7']]]],
    [
      ['deny 192.168.1.66', 'allow 192.168.1.0/24', 'deny all'],
      [
        ['allow', ['192.168.1.0/24']],
        ['block', ['192.168.1.66']],
      ],
    ],
    // Without effect: what was allowed before, and what nobody allows.
    [['allow 10.0.0.0/8', 'deny 10.0.0.1'], [['allow', ['10.0.0.0/8']]]],
    [['deny 203.0.113.7', 'allow 10.0.0.0/8'], [['allow', ['10.0.0.0/8']]]],
    [['deny 10.0.0.0/8', 'allow 10.1.0.0/16', 'allow 192.168.0.1'], [['allow', ['192.168.0.1']]]],
    [
      ['allow 10.0.0.1', 'deny 10.0.0.0/30', 'allow 10.0.0.0/24'],
      [
        ['allow', ['10.0.0.0/24']],
        ['block', ['10.0.0.0', '10.0.0.2/31']],
      ],
    ],
    [['allow all'], []],
    [['allow 10.0.0.0/8', 'deny 10.0.0.1', 'allow all'], []],
  ] as const)('%j', (lines, policies) => {
    const made = protectionOf(list({ clients: clientsOf(...lines) }));
    expect(shape(made)).toEqual(policies as unknown as ReturnType<typeof shape>);
    expect(made.remarks).toEqual([]);
    expect(made.stripsAuthorization).toBe(false);
  });

  test('that only deny refuse those whom they mean, but only once somebody decides', () => {
    const made = protectionOf(list({ clients: clientsOf('deny 203.0.113.7') }));
    expect(shape(made)).toEqual([['block', ['203.0.113.7']]]);
    expect(isOff(made)).toBe(true);
  });

  test('that deny all are as closed as they say', () => {
    for (const lines of [['deny all'], ['deny 0.0.0.0/0', 'deny ::/0']]) {
      const made = protectionOf(list({ clients: clientsOf(...lines) }));
      expect(shape(made)).toEqual([['block', ['0.0.0.0/0', '::/0']]]);
      expect(isOff(made)).toBe(false);
    }
    const before = protectionOf(list({ clients: clientsOf('deny all', 'allow 10.0.0.0/8') }));
    expect(shape(before)).toEqual([['allow', ['10.0.0.0/8']]]);
    expect(isOff(before)).toBe(true);
  });

  test.each(['', 'lan', '10.0.0.0/33', '1.2.3.256', 'fe80::1%eth0', '10.0.0.1/8/8', '::/129'])(
    'that cannot be read let in nobody: %j',
    (address) => {
      const allows = clientsOf('allow 10.0.0.0/8', `allow ${address}`);
      const some = protectionOf(list({ clients: allows }));
      expect([shape(some), levels(some)]).toEqual([[['allow', ['10.0.0.0/8']]], ['warning']]);
      const none = protectionOf(list({ clients: allows.slice(1) }));
      expect(shape(none)).toEqual([['block', ['0.0.0.0/0', '::/0']]]);
      expect(isOff(none)).toBe(true);
      const denies = clientsOf(`deny ${address}`, 'allow all');
      expect(isOff(protectionOf(list({ clients: denies })))).toBe(true);
    },
  );

  test('of IPv4 in the form of IPv6 never let in anybody, and are blocked as they were meant', () => {
    const allowed = protectionOf(
      list({ clients: clientsOf('allow ::ffff:10.0.0.1', 'allow ::1') }),
    );
    expect([shape(allowed), levels(allowed)]).toEqual([[['allow', ['::1']]], ['info']]);
    const denied = protectionOf(list({ clients: clientsOf('deny ::ffff:a00:0/104', 'allow all') }));
    expect([shape(denied), levels(denied)]).toEqual([[['block', ['10.0.0.0/8']]], ['warning']]);
  });

  test('of IPv6 never become networks of IPv4', () => {
    // What is left beside ::fffe:0:0/96 has ::ffff:0:0/96 in it, which Caddy would read as 0.0.0.0/0.
    const rules = clientsOf('allow ::fffe:0:0/96', 'deny ::fffe:0:0/95', 'allow ::/0');
    expect(shape(protectionOf(list({ clients: rules })))).toEqual([['allow', ['::/0']]]);
  });

  test('too many for a policy let in nobody', () => {
    const clients = Array.from({ length: 2_001 }, (_, at) => ({
      directive: 'allow' as const,
      address: `10.${at >> 8}.${at & 255}.1`,
    }));
    expect(isOff(protectionOf(list({ clients: clients.slice(1) })))).toBe(false);
    const made = protectionOf(list({ clients }));
    expect(shape(made)).toEqual([['block', ['0.0.0.0/0', '::/0']]]);
    expect(isOff(made)).toBe(true);
    const any = protectionOf(list({ clients, users: [ann], satisfies: 'any' }));
    expect([shape(any), isOff(any)]).toEqual([[['basic-auth', [ann]]], true]);
    // More than a dozen networks are left beside each.
    const few = Array.from({ length: 200 }, (_, at) => `allow 10.${at}.0.1`);
    const holes = clientsOf(...few, 'deny 10.0.0.0/8', 'allow all');
    const beside = protectionOf(list({ clients: holes }));
    expect([shape(beside), isOff(beside)]).toEqual([[['block', ['0.0.0.0/0', '::/0']]], true]);
  });
});

describe('users', () => {
  test('are asked for a password, which NPM keeps to itself unless it passes it on', () => {
    const made = protectionOf(list({ users: [ann, bob], passesAuthorization: false }));
    expect(made).toEqual({
      policies: [{ name: 'Family', recipe: 'basic-auth', values: { users: [ann, bob] } }],
      stripsAuthorization: true,
      remarks: [],
    });
    expect(protectionOf(list({ users: [ann] })).stripsAuthorization).toBe(false);
  });

  test('that cannot be taken are left out and named', () => {
    const long = 'é'.repeat(37);
    const users = [
      { name: 'eve', password: '' },
      { name: '#ivan', password: 'x' },
      { name: 'frank:x', password: 'x' },
      { name: 'frank', password: 'x' },
      ann,
      { ...ann, password: 'second' },
      { name: 'a{b', password: 'x' },
      { name: 'n'.repeat(101), password: 'x' },
      { name: 'carl', password: long },
      { name: 'dora', password: 'é'.repeat(36) },
      { name: 'fred', password: 'a\nb' },
    ];
    const made = protectionOf(list({ users }));
    expect(shape(made)).toEqual([['basic-auth', [ann, users[9]]]]);
    const found = made.remarks.map(({ level, text }) => [
      level,
      (text.match(/“[^”]{1,20}”/g) ?? []).slice(1).join(),
    ]);
    expect(found).toEqual([
      ['error', '“eve”'],
      ['info', '“#ivan”,“frank:x”'],
      ['info', '“frank”,“ann”'],
      ['warning', '“a{b”'],
      ['warning', '“carl”,“fred”'],
    ]);
    expect(JSON.stringify(made.remarks)).not.toContain(long);
  });

  test('of whom none is left: nobody gets in', () => {
    const users = [{ name: 'a:b', password: 'x' }];
    const made = protectionOf(list({ users }));
    expect(shape(made)).toEqual([['block', ['0.0.0.0/0', '::/0']]]);
    expect(isOff(made)).toBe(true);
    const lan = clientsOf('allow 10.0.0.0/8');
    const all = protectionOf(list({ users, clients: lan }));
    expect(shape(all)).toEqual([['block', ['0.0.0.0/0', '::/0']]]);
    const any = protectionOf(list({ users, clients: lan, satisfies: 'any' }));
    expect(shape(any)).toEqual([['allow', ['10.0.0.0/8']]]);
    expect([isOff(all), isOff(any)]).toEqual([true, true]);
  });

  test('more than a policy can have', () => {
    const users = Array.from({ length: 51 }, (_, at) => ({ name: `u${at}`, password: 'x' }));
    expect(isOff(protectionOf(list({ users: users.slice(1) })))).toBe(false);
    const made = protectionOf(list({ users }));
    expect(shape(made)).toEqual([['basic-auth', users.slice(0, 50)]]);
    expect(isOff(made)).toBe(true);
  });
});

describe('clients and users', () => {
  const clients = clientsOf('deny 10.0.0.1', 'allow 10.0.0.0/30');

  test('all: the address comes first', () => {
    const made = protectionOf(list({ users: [ann], clients }));
    expect(made.policies.map(({ name, recipe }) => [name, recipe])).toEqual([
      ['Family: networks', 'allow'],
      ['Family: blocked', 'block'],
      ['Family: password', 'basic-auth'],
    ]);
    expect(made.remarks).toEqual([]);
  });

  test('any: allowed addresses need no password', () => {
    const made = protectionOf(list({ users: [ann], clients, satisfies: 'any' }));
    expect(shape(made)).toEqual([['basic-auth', [ann], ['10.0.0.0', '10.0.0.2/31']]]);
    expect(made.remarks).toEqual([]);
    const denied = list({ users: [ann], clients: clientsOf('deny ::1'), satisfies: 'any' });
    expect(shape(protectionOf(denied))).toEqual([['basic-auth', [ann]]]);
    expect(protectionOf(denied).remarks).toEqual([]);
  });

  test('any, and all addresses: a password that nobody was asked for', () => {
    const made = protectionOf(
      list({ users: [ann], clients: clientsOf('allow all'), satisfies: 'any' }),
    );
    expect(shape(made)).toEqual([['basic-auth', [ann]]]);
    expect(isOff(made)).toBe(true);
  });
});

test('lists that are empty or not there protect nothing, and keep the site off', () => {
  for (const made of [protectionOf(list({})), missingList(999)]) {
    expect(made.policies).toEqual([]);
    expect(levels(made)).toEqual(['error']);
  }
  const named = protectionOf(list({ name: '  ', users: [ann] }));
  expect(named.policies[0]?.name).toBe('Access list 3');
});

test('the nginx text of a host: who is not named gets in', () => {
  const of = (...lines: string[]) => protectionOfClients('a.example', clientsOf(...lines));
  const measured = of('allow 192.168.1.0/24', 'allow 10.0.0.0/8', 'deny all');
  expect(measured.policies).toEqual([
    { name: 'a.example', recipe: 'allow', values: { networks: ['192.168.1.0/24', '10.0.0.0/8'] } },
  ]);
  expect(measured.remarks).toEqual([]);
  expect(shape(of('deny 10.0.0.1'))).toEqual([['block', ['10.0.0.1']]]);
  expect(of('deny 10.0.0.1').remarks).toEqual([]);
  expect(shape(of('deny all'))).toEqual([['block', ['0.0.0.0/0', '::/0']]]);
  expect(of('allow all')).toEqual({ policies: [], remarks: [], stripsAuthorization: false });
  const open = of('allow 10.0.0.0/8');
  expect(shape(open)).toEqual([['allow', ['10.0.0.0/8']]]);
  expect(isOff(open)).toBe(true);
});

test('HSTS sets no other header', () => {
  const { recipe, values } = hstsPolicy('host');
  const writing = { wording: {} as never, prefix: '@a-' };
  const textOf = (kind: 'host' | 'subdomains') =>
    JSON.stringify(recipeOf(recipe)?.write(hstsPolicy(kind).values, writing));
  expect(checkValues(recipeOf(recipe) as never, values)).toEqual(values);
  expect(textOf('host').match(/\\t[\w-]+ \\"[^"]*"/g)).toEqual([
    '\\tStrict-Transport-Security \\"max-age=31536000\\"',
  ]);
  expect(textOf('subdomains')).toContain('max-age=31536000; includeSubDomains\\"');
});

/** Networks in and beside each other. */
const NETWORKS = words(`
  all 0.0.0.0/0 10.0.0.0/28 10.0.0.8/29 10.0.0.13/30 10.0.0.9 10.0.0.10 10.0.0.0/31 ::/0
  fd00::/125 fd00::4/126 fd00::5 ::ffff:0:0/95 ::/64 ::ffff:10.0.0.9 nonsense
`);
const ADDRESSES = [
  ...Array.from({ length: 17 }, (_, at) => `10.0.0.${at}`),
  ...Array.from({ length: 9 }, (_, at) => `fd00::${at}`),
  '9.9.9.9',
  '::fffe:a00:9',
  '2001:db8::1',
];
const NAMES = ['ann', 'bob', '#c', 'ann:x', ''];
const PASSWORDS = ['one', 'two', '', 'x'.repeat(73)];
/** The first colon ends a name. */
const CREDENTIALS = ['ann', 'bob', '#c', ''].flatMap((name) =>
  [...PASSWORDS, 'x:one'].map((password) => ({ name, password })),
);
const VISITORS: Visitor[] = ADDRESSES.flatMap((address) => [
  { address },
  ...CREDENTIALS.map((user) => ({ address, user })),
]);

const anyClients = fc.array(
  fc.record({
    directive: fc.constantFrom('allow' as const, 'deny' as const),
    address: fc.constantFrom(...NETWORKS),
  }),
  { maxLength: 7 },
);
const anyList = fc.record({
  satisfies: fc.constantFrom('all' as const, 'any' as const),
  users: fc.array(
    fc.record({ name: fc.constantFrom(...NAMES), password: fc.constantFrom(...PASSWORDS) }),
    { maxLength: 3 },
  ),
  clients: anyClients,
});

/** @returns whether all visitors get the same as before, without a word about it */
function compare(made: Protection, before: (visitor: Visitor) => number): boolean {
  for (const { recipe, values } of made.policies) checkValues(recipeOf(recipe) as never, values);
  if (isOff(made)) return false;
  const isSame = !levels(made).includes('warning');
  for (const visitor of VISITORS) {
    const [was, is] = [before(visitor), caddyStatus(made.policies, visitor)];
    const wrong = isSame ? was !== is : is === 200 && was !== 200;
    if (wrong) throw new Error(`${JSON.stringify(visitor)} got ${was}, and now ${is}`);
  }
  return isSame;
}

test('whoever NPM kept out stays out, and whoever it let in gets in unless a remark says so', () => {
  let same = 0;
  fc.assert(
    fc.property(anyList, (part) => {
      const one = list(part);
      if (compare(protectionOf(one), (visitor) => nginxStatus(one, visitor))) same++;
    }),
    { numRuns: RUNS },
  );
  expect(same).toBeGreaterThan(RUNS / 10);
});

test('so it is with the nginx text of a host', () => {
  let same = 0;
  fc.assert(
    fc.property(anyClients, (clients) => {
      const one = list({ clients });
      const made = protectionOfClients('a.example', clients);
      if (compare(made, (visitor) => nginxStatus(one, visitor, 'allow'))) same++;
    }),
    { numRuns: RUNS },
  );
  expect(same).toBeGreaterThan(RUNS / 10);
});
