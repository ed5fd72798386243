// proof: nginx
/** Access lists that a real Nginx Proxy Manager had: who gets in, and who did there. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  protectionOf,
  type WantedPolicy,
} from '../../../../../src/features/import-npm/npm/access.ts';
import type { AccessList } from '../../../../../src/features/import-npm/npm/rows.ts';
import {
  behind,
  bodyOf,
  type SitesCaddy,
  startSitesCaddy,
  statusOf,
} from '../../../../hub/recipes/sites-caddy.ts';

/** Its networks, on loopback. */
const SOURCES = {
  lan: '127.168.1.50',
  lan66: '127.168.1.66',
  foreign: '127.203.113.7',
  foreign2: '127.198.100.9',
  lan6: '::1',
};
type Source = keyof typeof SOURCES;

const user = (name: string, password: string) => ({ name, password });
const allow = (address: string) => ({ directive: 'allow' as const, address });
const deny = (address: string) => ({ directive: 'deny' as const, address });
const LAN = allow('127.168.1.0/24');
const carol = user('carol', 'Carol#3');
const dave = user('dave', 'Dave&4"quote');

const LISTS: Record<string, Partial<AccessList>> = {
  users: { users: [user('alice', 'Wonder-Land-1'), user('bob', 'builder bob 2')] },
  lan: { clients: [allow('127.168.0.0/16'), allow('127.10.0.0/16'), deny('all')] },
  any: { satisfies: 'any', users: [carol], clients: [LAN] },
  all: { users: [dave], clients: [LAN] },
  notv: { clients: [deny('127.168.1.66'), LAN, deny('all')] },
  denyone: { clients: [deny('127.203.113.7'), allow('all')] },
  lan6: { clients: [allow('::/8'), allow('127.168.1.50')] },
  nasty: {
    satisfies: 'any',
    users: [
      user('erin', 'first-entry'),
      user('erin', 'second-entry'),
      user('frank:x', 'colon'),
      user("Grace O'Neil", 'pä$$wörd €'),
      user('heidi', '  spaces  '),
      user('#ivan', 'hash'),
    ],
  },
  emptypw: { users: [user('mallory', ''), user('niaj', 'Niaj-8')] },
  // Not of that installation: what subtracts networks.
  anybut: { satisfies: 'any', users: [carol], clients: [deny('127.168.1.66'), LAN] },
  butone: { clients: [allow('127.168.1.66'), deny('127.168.1.0/24'), deny('::/0'), allow('all')] },
};

/** As measured, but for the last two lists, and `niaj`, whom NPM keeps out by mistake. */
const VISITS: [list: string, from: Source, as: string | null, status: number][] = [
  ...(['lan', 'foreign'] as const).flatMap((from): typeof VISITS => [
    ['users', from, null, 401],
    ['users', from, 'alice:Wonder-Land-1', 200],
    ['users', from, 'alice:wrong', 401],
    ['users', from, 'bob:builder bob 2', 200],
  ]),
  ['lan', 'lan', null, 200],
  ['lan', 'lan66', null, 200],
  ['lan', 'foreign', null, 403],
  ['lan', 'lan6', null, 403],
  ['any', 'lan', null, 200],
  ['any', 'foreign', null, 401],
  ['any', 'lan', 'carol:Carol#3', 200],
  ['any', 'foreign', 'carol:Carol#3', 200],
  ['any', 'foreign', 'carol:wrong', 401],
  ['all', 'lan', null, 401],
  ['all', 'foreign', null, 403],
  ['all', 'lan', 'dave:Dave&4"quote', 200],
  ['all', 'foreign', 'dave:Dave&4"quote', 403],
  ['all', 'foreign', 'dave:wrong', 403],
  ['notv', 'lan', null, 200],
  ['notv', 'foreign', null, 403],
  ['notv', 'lan66', null, 403],
  ['denyone', 'lan', null, 200],
  ['denyone', 'foreign', null, 403],
  ['denyone', 'foreign2', null, 200],
  ['denyone', 'lan6', null, 200],
  ['lan6', 'lan6', null, 200],
  ['lan6', 'lan', null, 200],
  ['lan6', 'foreign', null, 403],
  ['nasty', 'foreign', 'erin:first-entry', 200],
  ['nasty', 'foreign', 'erin:second-entry', 401],
  ['nasty', 'foreign', 'frank:x:colon', 401],
  ['nasty', 'foreign', "Grace O'Neil:pä$$wörd €", 200],
  ['nasty', 'foreign', 'heidi:  spaces  ', 200],
  ['nasty', 'foreign', 'heidi:spaces', 401],
  ['nasty', 'foreign', '#ivan:hash', 401],
  ['emptypw', 'foreign', 'niaj:Niaj-8', 200],
  ['emptypw', 'foreign', 'mallory:', 401],
  ['anybut', 'lan', null, 200],
  ['anybut', 'lan66', null, 401],
  ['anybut', 'lan66', 'carol:Carol#3', 200],
  ['anybut', 'foreign', null, 401],
  ['butone', 'lan', null, 403],
  ['butone', 'lan66', null, 200],
  ['butone', 'foreign', null, 200],
  ['butone', 'lan6', null, 403],
];

/** With the cheapest hashes there are, as each visit takes as long. */
async function hashed({ recipe, values }: WantedPolicy): Promise<[string, WantedPolicy['values']]> {
  const { users, ...others } = values as { users?: AccessList['users'] };
  if (!users) return [recipe, values];
  const cheap = users.map(async ({ name, password }) => ({
    name,
    hash: await Bun.password.hash(password, { algorithm: 'bcrypt', cost: 4 }),
  }));
  return [recipe, { ...others, users: await Promise.all(cheap) }];
}

/** Of `emptypw`: as somebody has it who switches it on. */
async function siteOf(part: Partial<AccessList>): Promise<string> {
  const nothing = { users: [], clients: [], satisfies: 'all' as const, passesAuthorization: true };
  const { policies, remarks } = protectionOf({ id: 1, name: 'A list', ...nothing, ...part });
  const isOff = remarks.some(({ level }) => level === 'error');
  expect(isOff).toBe(part === LISTS.emptypw);
  return behind(await Promise.all(policies.map(hashed)));
}

describe('the policies of a list let in whom it let in, and nobody else', () => {
  let caddy: SitesCaddy;
  beforeAll(async () => {
    const sites = Object.entries(LISTS).map(async ([name, part]) => [
      `${name}.test`,
      await siteOf(part),
    ]);
    caddy = await startSitesCaddy(Object.fromEntries(await Promise.all(sites)));
  });
  afterAll(() => caddy.stop());

  test.each(VISITS)('%s, from %s as %s: %i', async (name, from, as, status) => {
    const sent = as === null ? [] : [`Authorization: Basic ${Buffer.from(as).toString('base64')}`];
    const answer = await caddy.get(`${name}.test`, '/', sent, SOURCES[from]);
    expect(statusOf(answer)).toBe(status);
    expect(bodyOf(answer) === 'BODY').toBe(status === 200);
  });

  test('whatever a client says about its address', async () => {
    const lines = ['X-Forwarded-For: 127.168.1.50', 'X-Real-IP: 127.168.1.50'];
    expect(statusOf(await caddy.get('lan.test', '/', lines, SOURCES.foreign))).toBe(403);
  });
});
