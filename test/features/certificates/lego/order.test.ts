// proof: acme
/** Orders at a real authority, with a real DNS: pebble, knot and lego. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificateOrder } from '../../../../src/features/certificates/lego/order.ts';
import { type Acme, HAS_ACME, LEGOS, standInDns, startAcme } from '../../../harness/acme.ts';
import { limit } from '../../../harness/speed.ts';
import { failed, temporaryLegos } from './start-lego.ts';

const NAMES = ['*.home.example', 'home.example'];
const RECORD = '_acme-challenge.home.example';

describe.skipIf(!HAS_ACME)('an order', () => {
  let acme: Acme;
  const { started, stops } = temporaryLegos();
  beforeAll(async () => {
    acme = await startAcme();
  });
  afterAll(() => acme.stop());

  const order = (more: Partial<CertificateOrder> = {}): CertificateOrder => ({
    names: ['home.example'],
    email: 'ada@home.example',
    dns: acme.dns.spec,
    ...more,
  });
  /** How often pebble was asked for something. */
  const calls = (path: string) => acme.logged(`POST ${path}`);

  test('with a wrong TSIG key fails in the DNS’s words, and leaves no file but the account', async () => {
    const { lego, files } = started(acme);
    const credentials = {
      ...acme.dns.spec.credentials,
      RFC2136_TSIG_SECRET: btoa('hush, wrong one'),
    };
    const dns = { ...acme.dns.spec, credentials };
    const failure = await failed(lego.order(order({ names: NAMES, dns })));
    expect(failure).toMatchObject({
      code: 'CERTIFICATE_FAILED',
      message: 'The DNS provider refuses the record.',
    });
    expect(failure.detail).toMatch(/home\.example: .*bad authentication$/);
    expect(files().map((file) => file.replace(/.*\//, ''))).toEqual([
      'account.json 600',
      'ada@home.example.key 600',
    ]);
  });

  test('without `wait`, asks the zone’s nameservers, and says what helps if they cannot be asked', async () => {
    const { lego } = started(acme);
    const { wait: _, ...spec } = acme.dns.spec;
    const credentials = { ...spec.credentials, RFC2136_PROPAGATION_TIMEOUT: '1' };
    const failure = await failed(lego.order(order({ dns: { ...spec, credentials } })));
    expect(failure.message).toBe('The zone’s nameservers did not show the record in time.');
    expect(failure.hint).toContain('port 53');
    expect(acme.dns.records(RECORD)).toEqual([]);
  });

  test(
    'at an authority that is not there, or that nobody vouches for, says so',
    async () => {
      const gone = started({ ...acme, directory: 'https://127.0.0.1:1/dir' });
      expect(await failed(gone.lego.order(order()))).toMatchObject({
        message: 'The certificate authority cannot be reached.',
        detail: expect.stringContaining('connection refused'),
      });
      const stranger = started({ ...acme }, { roots: null });
      expect((await failed(stranger.lego.order(order()))).detail).toContain('x509: ');
      // A newer lego tries for half a minute.
    },
    limit(120_000),
  );

  test('to a DNS that never answers is ended in time', async () => {
    const silent = await standInDns('nothing');
    stops.push(silent.stop);
    const { lego } = started(acme, { limits: { order: 3_000 } });
    const credentials = { ...acme.dns.spec.credentials, RFC2136_NAMESERVER: silent.address };
    const dns = { ...acme.dns.spec, credentials, resolvers: [silent.address] };
    const failure = await failed(lego.order(order({ dns })));
    expect(failure).toMatchObject({
      code: 'CERTIFICATE_FAILED',
      message: expect.stringContaining('took over 3 seconds'),
      detail: 'home.example: acme: Preparing to solve DNS-01',
    });
  });

  test.each(LEGOS)(
    'by %s brings a certificate for a wildcard and its domain, and the key',
    async (bin) => {
      const { lego, files } = started(acme, { bin });
      const { chain, key } = await lego.order(order({ names: ['*.Home.example', 'home.example'] }));
      const [leaf, issuer] = (
        chain.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []
      ).map((pem) => new X509Certificate(pem));
      expect(leaf?.subjectAltName).toBe('DNS:*.home.example, DNS:home.example');
      expect(leaf?.checkPrivateKey(createPrivateKey(key))).toBe(true);
      expect(leaf?.checkIssued(issuer as X509Certificate)).toBe(true);
      expect(issuer?.checkIssued(new X509Certificate(acme.issuer))).toBe(true);
      expect(acme.dns.records(RECORD)).toEqual([]);
      expect(files().map((file) => file.replace(/.*\//, ''))).toEqual([
        'account.json 600',
        'ada@home.example.key 600',
      ]);
    },
  );

  test('uses the account of the one before, and makes another for another address', async () => {
    const { lego, folder } = started(acme);
    const before = accounts(acme);
    const { key } = await lego.order(order());
    expect((await lego.order(order())).key).not.toBe(key);
    expect(accounts(acme)).toBe(before + 1);
    await lego.order(order({ email: 'grace@home.example' }));
    expect(accounts(acme)).toBe(before + 2);
    const [at = ''] = readdirSync(join(folder, 'accounts'));
    expect(readdirSync(join(folder, 'accounts', at)).toSorted()).toEqual([
      'ada@home.example',
      'grace@home.example',
    ]);
  });

  test('repairs what a power cut left of an account', async () => {
    const { lego, folder } = started(acme);
    await lego.order(order());
    const before = accounts(acme);
    const [at = ''] = readdirSync(join(folder, 'accounts'));
    const account = join(folder, 'accounts', at, 'ada@home.example');
    writeFileSync(join(account, 'account.json'), '{"email": "ada@');
    await lego.order(order());
    expect(accounts(acme)).toBe(before);
    const key = join(account, 'keys', 'ada@home.example.key');
    writeFileSync(key, readFileSync(key).subarray(0, 40));
    await lego.order(order());
    expect(accounts(acme)).toBe(before + 1);
  });

  test('gets through an authority that rejects a quarter of all nonces', async () => {
    const picky = await startAcme({ nonceReject: 25 });
    stops.push(picky.stop);
    const { lego } = started(picky);
    const { chain } = await lego.order(order({ dns: picky.dns.spec }));
    expect(chain).toContain('BEGIN CERTIFICATE');
  });

  test('runs alone: a second one waits', async () => {
    const { lego } = started(acme);
    await lego.order(order());
    const before = calls('/order-plz');
    const [first, second] = await Promise.all([lego.order(order()), lego.order(order())]);
    expect(first.key).not.toBe(second.key);
    expect(calls('/order-plz')).toBe(before + 2);
  });
});

/** How many were made. */
const accounts = (acme: Acme) => acme.logged('accounts in memory');
