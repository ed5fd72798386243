/** Orders at a real authority, with a real DNS: pebble, knot and lego. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type Acme, HAS_ACME, startAcme } from '../../harness/acme.ts';
import { startLego } from './start-lego.ts';

describe.skipIf(!HAS_ACME)('an order', () => {
  let acme: Acme;
  beforeAll(async () => {
    acme = await startAcme();
  });
  afterAll(() => acme.stop());

  test('brings a certificate for a wildcard and its domain, and the key of it', async () => {
    const { lego } = startLego(acme);
    const names = ['*.Home.example', 'home.example'];
    const { chain, key } = await lego.order({
      names,
      email: 'ada@home.example',
      dns: acme.dns.spec,
    });
    const [leaf, issuer] = chain.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
    const certificate = new X509Certificate(leaf ?? '');
    expect(certificate.subjectAltName).toBe('DNS:*.home.example, DNS:home.example');
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(certificate.checkIssued(new X509Certificate(issuer ?? ''))).toBe(true);
    expect(new X509Certificate(issuer ?? '').checkIssued(new X509Certificate(acme.issuer))).toBe(
      true,
    );
    expect(acme.dns.records('_acme-challenge.home.example')).toEqual([]);
  });
});
