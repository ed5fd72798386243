// proof: acme
/** Orders that fail at DNS, provider or authority, or never end: the reason is told, no secret is, and nothing changes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Acme,
  type Dns,
  HAS_ACME,
  NEW_ACCOUNT,
  startAcme,
  startDns,
} from '../../harness/acme.ts';
import { type Owner, startOwner } from '../../harness/owner.ts';
import { until } from '../../harness/stack.ts';

type Refusal = { code: string; message: string; field?: string; detail?: string };
type Order = { names: string[]; email: string; dns: object };

const NAMES = ['*.home.example'];
const EMAIL = 'ada@home.example';
const SECRET = 'Canary/of+a=provider 4711';

describe.skipIf(!HAS_ACME)('an order', () => {
  /** The one that the authority asks. */
  let dns: Dns;
  let acme: Acme;
  let owner: Owner;
  /** The records that it is to set; it answers with what it was sent, or never. */
  let isHanging = false;
  const provider = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      if (isHanging) await new Promise(() => {});
      const said = request.headers.get('Authorization') ?? '';
      const plain = Buffer.from(said.replace('Basic ', ''), 'base64').toString();
      return new Response(`no record for ${said}, ${plain} or ${encodeURIComponent(plain)}`, {
        status: 403,
      });
    },
  });

  beforeAll(async () => {
    dns = await startDns();
    acme = await startAcme({ asks: dns.address });
    owner = await startOwner({ ACME_DIRECTORY: acme.directory, ACME_ROOTS_FILE: acme.roots });
    await owner.create('plain');
  });
  afterAll(async () => {
    await owner.stack.stop();
    await Promise.all([acme.stop(), dns.stop(), provider.stop(true)]);
  });

  const quoting = {
    provider: 'httpreq',
    credentials: {
      HTTPREQ_ENDPOINT: `http://127.0.0.1:${provider.port}`,
      HTTPREQ_USERNAME: 'ada',
      HTTPREQ_PASSWORD: SECRET,
    },
  };
  const wrongKey = Buffer.from(SECRET.padEnd(32, '.')).toString('base64');
  const order = (name: string, more: Partial<Order>) =>
    owner.call<Refusal>('POST', '/certificates/kept', {
      name,
      names: NAMES,
      email: EMAIL,
      dns: dns.spec,
      ...more,
    });
  const list = async () => (await owner.call('GET', '/certificates/kept')).text;
  const everything = async () => ({ ...(await owner.everything()), kept: await list() });

  const faults: [string, () => Partial<Order>, string, RegExp][] = [
    [
      'with a wrong TSIG secret',
      () => ({
        dns: {
          ...dns.spec,
          credentials: { ...dns.spec.credentials, RFC2136_TSIG_SECRET: wrongKey },
        },
      }),
      'The DNS provider refuses the record.',
      /bad (?:authentication|signature)/,
    ],
    [
      'for a name without a zone',
      () => ({ names: ['*.nowhere.example'] }),
      'The DNS does not know the zone of a name.',
      /nowhere\.example/,
    ],
    [
      'whose record the authority does not find',
      () => ({ dns: acme.dns.spec }),
      'The certificate authority did not find the record.',
      /home\.example/,
    ],
    [
      'whose provider quotes the credentials',
      () => ({ dns: quoting }),
      'The DNS provider refuses the record.',
      /no record for Basic \S*\*\*\*\S*, \*\*\*:\*\*\* or \*\*\*/,
    ],
  ];
  test.each(faults)('%s', async (_, wrong, error, detail) => {
    const before = await everything();
    const refused = await order('home', wrong());
    expect([refused.status, refused.body.code]).toEqual([502, 'CERTIFICATE_FAILED']);
    expect(refused.body.message).toBe(error);
    expect(refused.body.detail).toMatch(detail);
    expect(await everything()).toEqual(before);
    expect(acme.dns.records('_acme-challenge.home.example')).toEqual([]);
    const log = owner.stack.lines.join('\n');
    const parts = [SECRET, wrongKey, encodeURIComponent(SECRET), btoa(`ada:${SECRET}`)];
    for (const secret of parts) expect([refused.text, log].join('\n')).not.toContain(secret);
  });

  test('succeeds after all of these, with the same account', async () => {
    const made = await order('home', {});
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    expect(acme.logged(NEW_ACCOUNT)).toBe(1);
  });

  test('that cannot succeed any more leaves the certificate as it is', async () => {
    const before = await everything();
    const [, wrong, message] = faults[2] as (typeof faults)[number];
    const refused = await owner.call<Refusal>('PUT', '/certificates/kept/home', {
      names: ['*.new.home.example'],
      ...wrong(),
    });
    expect([refused.status, refused.body.message]).toEqual([502, message]);
    expect(await everything()).toEqual(before);
    const renewed = await owner.call('POST', '/certificates/kept/home/renew');
    expect([renewed.status, renewed.text]).toEqual([200, expect.any(String)]);
  });

  test('that never ends is ended with the hub, and changes nothing', async () => {
    isHanging = true;
    const before = await everything();
    const answer = order('other', { dns: quoting }).then(
      ({ body }) => body.code,
      () => 'closed',
    );
    const folder = join(owner.stack.dataDir, 'lego');
    await until(() => readdirSync(folder).includes('request.pem'), 'lego');
    await owner.stack.restart();
    expect(await answer).toBeOneOf(['STOPPING', 'closed']);
    expect(readdirSync(folder)).toEqual(['accounts']);
    expect(await everything()).toEqual(before);
    const renewed = await owner.call('POST', '/certificates/kept/home/renew');
    expect([renewed.status, renewed.text]).toEqual([200, expect.any(String)]);
  });
});
