// proof: acme
/** Certificates that the hub obtains by DNS-01, through the API, from a real authority: refusals first. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { KeptCertificateView } from '../../../src/features/certificates/view.ts';
import { type Acme, HAS_ACME, startAcme } from '../../harness/acme.ts';
import { selfSigned } from '../../harness/certificate.ts';
import type { Body } from '../../harness/owner.ts';
import { type Owner, startOwner } from '../../harness/owner.ts';

type Kept = KeptCertificateView & Body;

const WILD = ['*.home.example', 'home.example'];
const TIMEOUT = 60_000;

describe.skipIf(!HAS_ACME)('certificates by DNS', () => {
  let acme: Acme;
  let owner: Owner;
  let order: { names: string[]; email: string; dns: Acme['dns']['spec'] };
  let wrong: typeof order;

  beforeAll(async () => {
    acme = await startAcme();
    owner = await startOwner({ ACME_DIRECTORY: acme.directory, ACME_ROOTS_FILE: acme.roots });
    order = { names: WILD, email: 'ada@home.example', dns: acme.dns.spec };
    const credentials = {
      ...acme.dns.spec.credentials,
      RFC2136_TSIG_SECRET: Buffer.from('another secret of nobody').toString('base64'),
    };
    wrong = { ...order, dns: { ...acme.dns.spec, credentials } };
  }, TIMEOUT);
  afterAll(async () => {
    await owner.stack.stop();
    await acme.stop();
  });

  const kept = (method: string, path = '', json?: object) =>
    owner.call<Kept>(method, `/certificates/kept${path}`, json);

  test('what cannot be ordered is refused by its field, without asking anybody', async () => {
    const { certificate: chain, key } = await selfSigned(['a.example']);
    const dns = order.dns;
    for (const [json, field] of [
      [{}, 'dns.provider'],
      [{ ...order, dns: { provider: 'exec' } }, 'dns.provider'],
      [{ ...order, dns: { ...dns, credentials: { PATH: '/' } } }, 'dns.credentials.PATH'],
      [{ ...order, names: [] }, 'names'],
      [{ ...order, names: ['10.0.0.1'] }, 'names'],
      [{ ...order, email: '' }, 'email'],
      [{ ...order, chain, key }, 'dns'],
    ] as const) {
      const { status, body } = await kept('POST', '', { name: 'home', ...json });
      expect([status, body.code, body.field]).toEqual([400, 'INVALID_REQUEST', field]);
    }
    expect((await kept('POST', '', { name: 'No', ...order })).body.field).toBe('name');
    expect(acme.logged('Added order')).toBe(0);
    expect((await kept('GET')).body).toEqual([] as never);
  });

  test(
    'a provider is tried without the authority, obtained, changed and renewed',
    async () => {
      const before = acme.logged('Added order');
      expect((await kept('POST', '/try', order)).body).toEqual({ success: true } as never);
      expect(acme.logged('Added order')).toBe(before);

      const made = await kept('POST', '', { name: 'home', ...order });
      expect(made.status).toBe(201);
      expect(acme.logged('Added order')).toBe(before + 1);
      expect(made.body).toMatchObject({ source: 'dns', provider: 'rfc2136' });
      expect(made.body.names.toSorted()).toEqual(WILD);
      expect(Date.parse(made.body.renewsAt ?? '')).toBeGreaterThan(Date.now());

      const renewed = await kept('POST', '/home/renew');
      expect(renewed.status).toBe(200);
      expect(renewed.body.serial).not.toBe(made.body.serial);
      const narrow = await kept('PUT', '/home', { names: ['*.home.example'] });
      expect(narrow.body.names).toEqual(['*.home.example']);
      const entries = await owner.changelog();
      expect(entries.map(({ action }) => action)).toEqual(['update', 'update', 'create']);

      const { credentials } = order.dns;
      const secret = credentials.RFC2136_TSIG_SECRET as string;
      for (const path of ['/certificates/kept', '/changelog', '/export', '/security-log']) {
        expect((await owner.call('GET', path)).text).not.toContain(secret);
      }
      const file = join(owner.stack.dataDir, 'signalbox.db');
      expect(Buffer.from(await Bun.file(file).bytes()).includes(secret)).toBe(false);
    },
    TIMEOUT,
  );

  test(
    'a failed renewal is shown and a problem, and the certificate stays',
    async () => {
      const [before] = (await kept('GET')).body as unknown as Kept[];
      const names = ['*.new.home.example'];
      const changed = await kept('PUT', '/home', { names, dns: wrong.dns });
      expect([changed.status, changed.body.code]).toEqual([502, 'CERTIFICATE_FAILED']);
      await acme.kill();
      const refused = await kept('POST', '/home/renew');
      expect([refused.status, refused.body.code]).toEqual([502, 'CERTIFICATE_FAILED']);
      const after = await kept('GET', '/home');
      expect(after.body.serial).toBe(before?.serial ?? '');
      expect(after.body.lastError).toContain(refused.body.detail ?? '?');
      const { body } = await owner.call<{ problems: { code: string; message: string }[] }>(
        'GET',
        '/status',
      );
      expect(body.problems.find(({ code }) => code === 'RENEWAL_FAILED')?.message).toStartWith(
        'The certificate home was not renewed: ',
      );
    },
    TIMEOUT,
  );

  test('an upload cannot be renewed', async () => {
    const { certificate: chain, key } = await selfSigned(['up.example']);
    await kept('POST', '', { name: 'up', chain, key });
    const { status, body } = await kept('POST', '/up/renew');
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect((await kept('POST', '/none/renew')).status).toBe(404);
  });
});
