// proof: acme
/** Kept certificates against what people send by mistake or on purpose: names, races, roles, tokens, retries, many. */
import { Database } from 'bun:sqlite';
import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { KeptCertificateView } from '../../../src/features/certificates/view.ts';
import { keptIn } from '../../../src/shared/caddyfile/kept-certificates.ts';
import { type Acme, HAS_ACME, NEW_ORDER, startAcme } from '../../harness/acme.ts';
import { type Chain, makeChain, makeIssuer } from '../../harness/certificate.ts';
import { forFile } from '../../harness/for-file.ts';
import { some } from '../../harness/full.ts';
import { presented } from '../../harness/lone-agent.ts';
import { type Body, startOwner } from '../../harness/owner.ts';
import { until } from '../../harness/stack.ts';

type Kept = KeptCertificateView & Body;

const SITE = 'app.home.example';
const NAMES = ['*.home.example'];
const MANY = some(8, 100);

let acme: Acme | null = null;
const chainOf = (names: readonly string[], days = 60) => makeChain({ names, days, issuer });
const pairOf = ({ chain, key }: Chain) => ({ chain, key });

const issuer = await makeIssuer();
if (HAS_ACME) acme = await startAcme();
const owner = await forFile(
  startOwner(acme ? { ACME_DIRECTORY: acme.directory, ACME_ROOTS_FILE: acme.roots } : {}),
);
await owner.call('POST', '/vhosts', { domain: SITE, config: 'respond app' });
afterAll(() => acme?.stop());

const kept = (method: string, path: string, json?: object, more = {}) =>
  owner.call<Kept>(method, `/certificates/kept${path}`, json, more);
const all = async () => (await owner.call<Kept[]>('GET', '/certificates/kept')).body;
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const shown = async () => (await presented(owner.stack.httpsPort, SITE)).toLowerCase();
async function removeAll(): Promise<void> {
  for (const { id } of await all()) await kept('DELETE', `/${id}?force=true`);
}

test.each<[string, string, string[]]>([
  ['a line break', 'a.example\n}\n:80 {\nrespond "mine"\n}\n#', []],
  ['another comment', 'a.example, kept by signalbox: sha256 00', []],
  ['what looks like two names', 'a.example, DNS:bank.example', []],
  ['a placeholder', '{$HOME}.example', []],
  ['a quote', '"a.example"', []],
  ['a second star', '*.*.example', []],
  ['nothing', '', []],
  ['an address', '10.0.0.1', ['10.0.0.1']],
  ['capitals', 'B.Example', ['b.example']],
  ['an underscore', '_dmarc.example', ['_dmarc.example']],
  ['a name that is too long', `${'a.'.repeat(127)}example`, []],
])('a name with %s is what it is, or not there', async (_, name, expected) => {
  await removeAll();
  const made = await kept('POST', '', {
    name: 'odd',
    ...pairOf(await chainOf([name, 'ok.example'])),
  });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  expect(made.body.names).toEqual([...expected, 'ok.example']);
  const text = owner.stack.readProxyfile();
  expect(keptIn(text).map(({ names }) => names)).toEqual([made.body.names]);
  expect(text).not.toContain('mine');
  expect((await kept('GET', '/odd')).body.names).toEqual(made.body.names);
});

test('what Caddy cannot read is refused with its words, and nothing is changed', async () => {
  const before = [await owner.everything(), await all()];
  const odd = await chainOf(['gr\u00fcn.example', 'ok.example']);
  const { status, body, text } = await kept('POST', '', { name: 'new', ...pairOf(odd) });
  expect([status, body.code]).toEqual([502, 'PROXY_REJECTED']);
  expect(text).toContain('SAN dNSName is malformed');
  expect([await owner.everything(), await all()]).toEqual(before);
});

test('each of many at once is stored and served as it was answered', async () => {
  await removeAll();
  const chains = await Promise.all([50, 60, 70, 80].map((days) => chainOf(NAMES, days)));
  const names = chains.map((_, at) => `race-${at % 2}`);
  const posts = await Promise.all(
    chains.map((one, at) => kept('POST', '', { name: names[at], ...pairOf(one) })),
  );
  expect(posts.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409]);
  const before = (await owner.changelog()).length;
  const puts = await Promise.all(
    [...chains, ...chains].map((one) => kept('PUT', '/race-0', pairOf(one))),
  );
  expect(puts.map(({ status }) => status)).toEqual(puts.map(() => 200));
  const [stored] = await all();
  expect(chains.map(({ serial }) => serial.toLowerCase())).toContain(stored?.serial ?? '');
  expect((await owner.changelog()).length - before).toBeLessThanOrEqual(puts.length);
  await kept('DELETE', '/race-1?force=true');
  await until(async () => (await shown()) === (await all())[0]?.serial, 'what is stored');
});

describe.skipIf(!HAS_ACME)('an order', () => {
  const order = () => ({ names: NAMES, email: 'ada@home.example', dns: acme?.dns.spec });
  const orders = () => acme?.logged(NEW_ORDER) ?? 0;

  test('that is sent again with its key is made once, and after a refusal again', async () => {
    await removeAll();
    const before = orders();
    const post = () => kept('POST', '', { name: 'home', ...order() }, { 'Idempotency-Key': 'one' });
    const [first, second] = await Promise.all([post(), post()]);
    const third = await post();
    expect([first.status, first.text]).toEqual([201, expect.any(String)]);
    expect([second.text, third.text]).toEqual([first.text, first.text]);
    expect([orders(), (await all()).length]).toEqual([before + 1, 1]);
    const wrong = { ...order(), names: ['*.nowhere.example'] };
    const refused = () =>
      kept('POST', '', { name: 'other', ...wrong }, { 'Idempotency-Key': 'two' });
    expect([(await refused()).status, (await refused()).status]).toEqual([502, 502]);
    expect(orders()).toBe(before + 3);
  });

  test('loses to what replaced the certificate meanwhile', async () => {
    const [one, two] = await Promise.all([60, 70].map((days) => chainOf(NAMES, days)));
    const renewal = kept('POST', '/home/renew');
    const before = orders();
    await until(() => orders() > before, 'the order');
    const puts = await Promise.all(
      [one, two].map((pair) => kept('PUT', '/home', pairOf(pair as Chain))),
    );
    expect(puts.map(({ status }) => status)).toEqual([200, 200]);
    const { status, body } = await renewal;
    expect([status, body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    const [stored] = await all();
    expect([one?.serial.toLowerCase(), two?.serial.toLowerCase()]).toContain(stored?.serial);
    await until(async () => (await shown()) === stored?.serial, 'what is stored');
    expect([stored, stored?.lastError]).toEqual([stored, undefined]);
    // As it is an upload now.
    expect((await kept('POST', '/home/renew')).status).toBe(400);
  });

  test('of somebody whose account is deleted meanwhile is not stored', async () => {
    await removeAll();
    const bob = await account('bob', 'owner');
    const before = [orders(), (await owner.changelog()).length];
    const made = kept('POST', '', { name: 'bob', ...order() }, bob.headers);
    await until(() => orders() > (before[0] ?? 0), 'the order');
    expect((await owner.call('DELETE', `/users/${bob.id}`)).status).toBe(200);
    expect((await made).status).toBe(401);
    expect([await all(), (await owner.changelog()).length]).toEqual([[], before[1] ?? 0]);
  });
});

/** @returns the headers of a session */
async function account(name: string, role: string) {
  const [email, password] = [`${name}@example.org`, 'a long passphrase'];
  const made = await owner.call<{ id: string }>('POST', '/users', { name, email, password, role });
  const { body } = await owner.call<{ token: string }>(
    ...(['POST', '/auth/sign-in/email', { email, password }, { Authorization: '' }] as const),
  );
  return { id: made.body.id, headers: bearer(body.token) };
}
async function tokenOf(headers: Record<string, string>, scope: string) {
  const json = { name: scope, scope };
  return bearer((await owner.call<{ token: string }>('POST', '/tokens', json, headers)).body.token);
}

test('nobody may do more than is theirs', async () => {
  await removeAll();
  const [one, two] = (await Promise.all([60, 70].map((days) => chainOf(NAMES, days)))) as [
    Chain,
    Chain,
  ];
  await kept('POST', '', { name: 'home', ...pairOf(one) });
  const [editor, viewer] = [await account('eve', 'editor'), await account('vic', 'viewer')];
  const mine = await account('own', 'owner');
  const callers = {
    editor: editor.headers,
    viewer: viewer.headers,
    'token of an editor': await tokenOf(editor.headers, 'write'),
    'read token': await tokenOf(owner.headers, 'read'),
    token: await tokenOf(mine.headers, 'write'),
    stale: mine.headers,
  };
  const db = new Database(join(owner.stack.dataDir, 'signalbox.db'));
  db.run('UPDATE sessions SET proved_at = 1 WHERE user_id = ?', [mine.id]);
  db.close();
  const before = await owner.everything();
  const requests: [string, string, object?][] = [
    ['POST', '', { name: 'more', ...pairOf(two) }],
    ['PUT', '/home', { ...pairOf(two), name: 'renamed' }],
    ['PUT', '/home', { name: 'renamed' }],
    ['PUT', '/home', { names: NAMES, email: 'a@b.example', dns: { provider: 'rfc2136' } }],
    ['PUT', '/home', { email: 'a@b.example' }],
    ['POST', '/home/renew'],
    ['POST', '/try', {}],
    ['DELETE', '/home?force=true'],
  ];
  for (const [who, headers] of Object.entries(callers)) {
    for (const [method, path, json] of requests) {
      const { status, body } = await kept(method, path, json, headers);
      const code = who === 'stale' ? 'SESSION_NOT_FRESH' : expect.stringMatching(/^FORBIDDEN/);
      expect([who, method, path, status, body.code]).toEqual([who, method, path, 403, code]);
    }
    const hook = await kept(
      'PUT',
      '/home?require=all',
      { chain: one.chain, key: two.key },
      headers,
    );
    expect([who, hook.status]).toEqual([who, who === 'token' ? 400 : 403]);
    expect([who, (await kept('GET', '/home', undefined, headers)).status]).toEqual([who, 200]);
  }
  expect(await owner.everything()).toEqual(before);
  // Who may: the deploy hook; until its owner is none any more.
  expect((await kept('PUT', '/home', pairOf(two), callers.token)).status).toBe(200);
  const role = { userId: mine.id, role: 'editor' };
  expect((await owner.call('POST', '/auth/admin/set-role', role)).status).toBe(200);
  const late = await kept('PUT', '/home', pairOf(one), callers.token);
  expect([late.status, late.body.code]).toEqual([403, 'FORBIDDEN_ROLE']);
});

test(`${MANY} certificates are kept, listed and served`, async () => {
  await removeAll();
  const chains = await Promise.all(
    Array.from({ length: MANY }, (_, at) => chainOf([`*.n${at}.example`, `n${at}.example`])),
  );
  const made = await Promise.all(
    chains.map((one, at) => kept('POST', '', { name: `many-${at}`, ...pairOf(one) })),
  );
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
  const operations = chains.map((_, at) => ({
    op: 'create',
    domain: `app.n${at}.example`,
    config: 'respond app',
  }));
  expect((await owner.call('POST', '/vhosts/bulk', { operations })).status).toBe(200);
  const listed = await all();
  expect(listed.map(({ sites }) => sites.length)).toEqual(chains.map(() => 1));
  const served = () =>
    Promise.all(chains.map((_, at) => presented(owner.stack.httpsPort, `app.n${at}.example`)));
  const wanted = chains.map(({ serial }) => serial);
  await until(async () => Bun.deepEquals(await served(), wanted), 'all of them');
  await owner.stack.restart();
  await until(async () => Bun.deepEquals(await served(), wanted), 'all of them after a start');
});
