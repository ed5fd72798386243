// proof: hub
/**
 * No site that answers a stranger is called closed: generated sites with any mix of policies and rules. The judge is a
 * stranger's request to the Caddy that visitors reach.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { forFile } from '../../../harness/for-file.ts';
import { some } from '../../../harness/full.ts';
import { type Random, seededRandom } from '../../../harness/random.ts';
import { limit } from '../../../harness/speed.ts';
import { type House, knowsAddresses, startHouse } from './house.ts';

setDefaultTimeout(limit(600_000));
const HOUSES = some(40, 200, 'DOORS_HOUSES');
const SITES = 6;
const SEED = some(1, 1, 'DOORS_SEED');

const house = await forFile(startHouse());
const HASH = '$2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG';
const USERS = [{ name: 'ada', hash: HASH }];
const PATHS = ['/', '/share/a', '/api/x', '/admin', '/x.png', '/unheard-of'] as const;

function policiesOf(random: Random): { name: string; recipe: string; values: object }[] {
  const networks = () => [random.pick(['private_ranges', '10.0.0.0/8', '198.51.100.0/24', '::/0'])];
  const exempt = () => ({
    ...(random.below(3) === 0 && { exemptPaths: [random.pick(['/api/*', '/share/*', '/admin'])] }),
    ...(random.below(3) === 0 && { exemptNetworks: networks() }),
  });
  return [
    { name: 'allow', recipe: 'allow', values: { networks: networks() } },
    { name: 'block', recipe: 'block', values: { networks: networks() } },
    { name: 'password', recipe: 'basic-auth', values: { users: USERS, ...exempt() } },
    { name: 'authelia', recipe: 'authelia', values: { address: house.signIn, ...exempt() } },
    { name: 'authentik', recipe: 'authentik', values: { address: house.signIn, ...exempt() } },
    { name: 'maintenance', recipe: 'maintenance', values: networksOf(exempt()) },
  ];
}

/** What a policy takes that knows networks alone. */
const networksOf = ({ exemptNetworks }: { exemptNetworks?: string[] }) => ({
  ...(exemptNetworks && { exemptNetworks }),
});

const PROXY = 'reverse_proxy {upstream}';
const basic = knowsAddresses ? 'basic_auth' : 'basicauth';

function configOf(random: Random): string {
  const matcher = random.pick([
    'path /share/* /x.png',
    'not path /admin',
    'path *.png *a',
    'method POST',
    'not method GET',
    'vars {http.request.orig_uri} /share/a',
    'remote_ip 10.0.0.0/8',
    'not remote_ip 10.0.0.0/8',
    'header X-Secret hush',
    'query token=hush',
    'path_regexp ^/(api|share)/',
    'expression `path("/share/*")`',
    'protocol http',
  ]);
  const refusal = random.pick([
    'abort',
    'respond 403',
    'respond 404',
    'error 500',
    'redir https://elsewhere.example',
    PROXY,
  ]);
  const either = `@in ${matcher}\nhandle @in {\n${PROXY}\n}\nhandle {\n${refusal}\n}`;
  const guarded = `@in ${matcher}\n${basic} @in {\nada ${HASH}\n}\n${PROXY}`;
  const asked = `@in ${matcher}\nforward_auth @in ${house.signIn} {\nuri /auth\n}\n${PROXY}`;
  const sent = `forward_auth ${house.signIn} {\nuri /auth\n@bad status 401\nhandle_response @bad {\nredir https://sign-in.example\n}\n}\n${PROXY}`;
  const below = `handle_path /${random.pick(['share', 'api'])}/* {\n@below path /a /x\nhandle @below {\n${PROXY}\n}\n}\n${either}`;
  return random.pick([PROXY, either, below, guarded, asked, sent, 'file_server', refusal]);
}

const visits = (random: Random, domain: string, of: House) =>
  PATHS.flatMap((path) =>
    (['GET', 'POST'] as const).map(async (method) => ({
      what: `${method} ${path}`,
      got: await of.visit(domain, path, {
        method,
        ...(knowsAddresses && { as: random.pick(['203.0.113.9', '192.0.2.55', '2001:db8::55']) }),
      }),
    })),
  );

async function send(method: string, path: string, json?: object) {
  const { status, body, text } = await house.call(method, path, json);
  if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
  return body;
}

test('a site that lets strangers in is never called closed', async () => {
  const said: Record<string, number> = {};
  const wrong: object[] = [];
  let open = 0;
  for (let number = 0; number < HOUSES; number++) {
    const random = seededRandom((SEED + number) * 7919);
    const policies = policiesOf(random);
    const names = policies.map(({ name }) => name);
    const operations = [
      ...policies.map((one) => ({ op: 'policy', ...one })),
      ...Array.from({ length: SITES }, (_, at) => ({
        op: 'create',
        domain: `http://s${at}.h${number}.example`,
        config: configOf(random),
        upstream: house.upstream,
        policies: names.filter(() => random.below(4) === 0),
      })),
    ];
    await send('POST', '/vhosts/bulk', { operations });
    const before = { ...house.asked };
    const doors = await house.doors();
    expect(house.asked).toEqual(before);
    for (const [domain, { opensTo, vhost }] of doors) {
      said[opensTo] = (said[opensTo] ?? 0) + 1;
      const got = await Promise.all(visits(random, domain, house));
      const entered = got.filter((one) => one.got === 'anyone').map(({ what }) => what);
      if (entered.length > 0) open++;
      const site = (await house.call('GET', `/vhosts/${vhost}`)).body;
      const isCalledClosed = opensTo !== 'anyone' && opensTo !== 'unsure';
      if (isCalledClosed && entered.length > 0) wrong.push({ opensTo, entered, site, policies });
    }
    const set = await house.call<{ id: number }[]>('GET', '/vhosts');
    await send('POST', '/vhosts/bulk', {
      operations: set.body.map(({ id }) => ({ op: 'delete', id })),
    });
    const stored = await house.call<{ id: number }[]>('GET', '/policies');
    for (const { id } of stored.body) await send('DELETE', `/policies/${id}`);
  }
  console.log(`${HOUSES} houses, ${open} sites let strangers in; said: ${JSON.stringify(said)}`);
  expect(wrong).toEqual([]);
  expect(open).toBeGreaterThan(HOUSES / 2);
  expect(said.anyone).toBeGreaterThan(0);
  expect((said.password ?? 0) + (said['sign-in'] ?? 0) + (said.nobody ?? 0)).toBeGreaterThan(0);
});
