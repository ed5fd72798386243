// proof: acme
/** Trying a DNS provider: it sets the records of an order and removes them; no authority is asked. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificateOrder } from '../../../../src/features/certificates/lego/order.ts';
import { createTryAuthority } from '../../../../src/features/certificates/lego/try-authority.ts';
import { type Dns, HAS_ACME, LEGOS, startDns } from '../../../harness/acme.ts';
import { startLego } from './start-lego.ts';

describe.each(HAS_ACME ? LEGOS : [])('a try by %s', (bin) => {
  let dns: Dns;
  const asked: string[] = [];
  const authority = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }) {
      asked.push(url);
      return new Response(null, { status: 500 });
    },
  });
  const stops: (() => unknown)[] = [];
  beforeAll(async () => {
    dns = await startDns();
  });
  afterEach(async () => {
    expect(asked).toEqual([]);
    for (const stop of stops.splice(0)) await stop();
  });
  afterAll(async () => {
    await Promise.all([dns.stop(), authority.stop(true)]);
  });

  function started() {
    const where = { directory: `http://127.0.0.1:${authority.port}/`, roots: '/nonexistent' };
    const one = startLego(where, { bin });
    stops.push(one.stop);
    return one;
  }
  const order = (more: Partial<CertificateOrder> = {}): CertificateOrder => ({
    names: ['*.home.example', 'home.example', 'nas.home.example'],
    email: 'ada@home.example',
    dns: dns.spec,
    ...more,
  });

  test('with a wrong TSIG key is refused in the DNS’s words', async () => {
    const { lego, files } = started();
    const credentials = { ...dns.spec.credentials, RFC2136_TSIG_SECRET: btoa('hush, wrong one') };
    const tried = lego.tryOut(order({ dns: { ...dns.spec, credentials } }));
    await expect(tried).rejects.toMatchObject({
      code: 'CERTIFICATE_FAILED',
      message: 'The DNS provider refuses the record.',
      detail: expect.stringMatching(/^[a-z., ]*home\.example: .*bad authentication$/),
    });
    expect(files()).toEqual([]);
  });

  test('names only what the provider refuses', async () => {
    const { lego } = started();
    const before = dns.changes();
    const tried = lego.tryOut(order({ names: ['home.example', 'www.other.example'] }));
    await expect(tried).rejects.toMatchObject({
      code: 'CERTIFICATE_FAILED',
      detail: expect.stringMatching(/^www\.other\.example: /),
    });
    expect(dns.changes()).toBe(before + 2);
  });

  test('sets each record once and leaves none, and no account', async () => {
    const { lego, folder, files } = started();
    const before = dns.changes();
    await lego.tryOut(order());
    // Two records, each set and removed.
    expect(dns.changes()).toBe(before + 4);
    for (const name of ['home.example', 'nas.home.example']) {
      expect(dns.records(`_acme-challenge.${name}`)).toEqual([]);
    }
    expect(files()).toEqual([]);
    expect(existsSync(join(folder, 'trial'))).toBe(false);
  });
});

test('nobody without its path gets an answer, and what is there is no more than lego needs', async () => {
  const { path, answer, isDone } = createTryAuthority(['*.home.example', 'home.example']);
  const status = (url: string) => answer(new Request(`http://127.0.0.1:1${url}`)).status;
  for (const url of ['/', '/directory', '/challenge/0', `${path}x/directory`, `${path}`]) {
    expect(status(url)).toBe(404);
  }
  for (const url of ['/challenge/1', '/challenge/-1', '/authorization/x', '/finalize', '/']) {
    expect(status(`${path}${url}`)).toBe(404);
  }
  expect(isDone()).toBe(false);
  expect(status(`${path}/challenge/0`)).toBe(200);
  expect(isDone()).toBe(true);
});
