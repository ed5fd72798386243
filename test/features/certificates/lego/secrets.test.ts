// proof: acme
/** What others on the machine could see of an order, and what a lego that misbehaves can do. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificateOrder } from '../../../../src/features/certificates/lego/order.ts';
import { type Dns, HAS_ACME, LEGO, startDns } from '../../../harness/acme.ts';
import { temporaryFolder, until } from '../../../harness/stack.ts';
import { words } from '../../../harness/words.ts';
import { failed, temporaryLegos } from './start-lego.ts';

const NOWHERE = { directory: 'https://127.0.0.1:1/dir', roots: '/etc/hostname' };
const TOKEN = 'hush-Hush/4711+abcdefghijkl==';

describe.skipIf(!HAS_ACME)('an order', () => {
  let dns: Dns;
  let folder: string;
  const { started } = temporaryLegos();
  beforeAll(async () => {
    dns = await startDns();
    folder = temporaryFolder();
  });
  afterAll(async () => {
    await dns.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const order = (): CertificateOrder => ({
    names: ['home.example'],
    email: 'ada@home.example',
    dns: { ...dns.spec, credentials: { ...dns.spec.credentials, RFC2136_TSIG_SECRET: TOKEN } },
  });
  /** Bytes. */
  function inUse(): number {
    Bun.gc(true);
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }
  /** A lego that lists its providers, and does something else instead of an order. */
  function standIn(script: string): string {
    const file = join(folder, `lego-${crypto.randomUUID()}`);
    const help = `case "$*" in *dnshelp*) exec ${LEGO} "$@" ;; esac`;
    writeFileSync(file, `#!/bin/sh\nPATH=/usr/bin:/bin\n${help}\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  test('shows no credential in its arguments, and gives lego no other variable', async () => {
    const { lego, folder: own } = started(NOWHERE, {
      bin: standIn(`echo $$ > ${folder}/pid; exec sleep 600`),
      roots: '/etc/hostname',
    });
    const ordered = failed(lego.order(order()));
    const pid = await until(() => {
      try {
        return readFileSync(`${folder}/pid`, 'utf8').trim();
      } catch {
        return '';
      }
    });
    expect(pid).toMatch(/^\d+$/);
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
    const byShell = ['PATH', 'PWD', 'OLDPWD', '_', 'SHLVL'];
    // A newer lego has another name for it.
    const names = environment.map(
      (one) => one.replace('DNSUPDATE', 'RFC2136').split('=', 1)[0] ?? '',
    );
    expect(names.filter((name) => !byShell.includes(name)).toSorted()).toEqual(
      words(`
      HOME LEGO_CA_CERTIFICATES RFC2136_NAMESERVER RFC2136_POLLING_INTERVAL
      RFC2136_SEQUENCE_INTERVAL RFC2136_TSIG_ALGORITHM RFC2136_TSIG_KEY RFC2136_TSIG_SECRET
    `),
    );
    expect(environment).toContain(`HOME=${own}`);
    expect(environment.join('\n')).toContain('_POLLING_INTERVAL=1');
    expect(statSync(own).mode & 0o777).toBe(0o700);
    expect(readdirSync(own)).toEqual(['request.pem']);
    await lego.end();
    expect((await ordered).code).toBe('STOPPING');
    expect(() => process.kill(Number(pid), 0)).toThrow();
  });

  test('passes every value as the value of an option', async () => {
    const { lego } = started(NOWHERE, { bin: standIn('echo "$@" | tr "\\n" " " >&2; exit 1') });
    const { detail = '' } = await failed(lego.order(order()));
    expect(detail).not.toContain('hush');
    expect(detail.replaceAll(/\S*\/lego\b/g, 'FOLDER')).toBe(
      `--path FOLDER --server=https://127.0.0.1:1/dir --accept-tos --email=ada@home.example --csr FOLDER/request.pem --dns rfc2136 --dns.resolvers=${dns.address} --dns.disable-cp run`,
    );
  });

  test('whose lego prints the credential, in any encoding, does not repeat it', async () => {
    const forms = [
      TOKEN,
      encodeURIComponent(TOKEN),
      btoa(TOKEN),
      btoa(`signalbox:${TOKEN}`),
      Buffer.from(TOKEN).toString('hex'),
    ];
    const file = join(folder, 'said');
    for (const form of forms) {
      writeFileSync(file, `2026/11/23 11:42:51 rfc2136: 401 for "${form}" of home.example\n`);
      const { lego } = started(NOWHERE, { bin: standIn(`cat ${file} >&2; exit 1`) });
      const { message, detail = '', hint } = await failed(lego.order(order()));
      expect(detail).toStartWith('rfc2136: 401 for "');
      expect(detail).toContain('***');
      const all = [message, detail, hint].join(' ');
      for (let at = 0; at + 8 <= form.length; at++) {
        if (form.startsWith('c2lnbmFsYm94')) break;
        expect(all).not.toContain(form.slice(at, at + 8));
      }
      expect(all).not.toContain(form.slice(-20));
    }
  });

  test.each([
    ['lines', 'yes "2026/11/23 11:42:51 [INFO] still at it" >&2'],
    ['one line', `yes "${TOKEN}" | tr -d "\\n" >&2`],
    ['standard output', 'yes'],
  ])('whose lego prints %s without end is ended in time', async (_, script) => {
    const { lego } = started(NOWHERE, { bin: standIn(script), limits: { order: 1_000 } });
    const before = inUse();
    const used: number[] = [];
    const look = setInterval(() => used.push(inUse()), 50);
    const failure = await failed(lego.order(order()));
    clearInterval(look);
    expect(failure.message).toContain('took over 1 seconds');
    expect(failure.detail ?? '').not.toContain('hush');
    // Several gigabytes are written. Memory that nothing uses may still be resident.
    expect(used.length).toBeGreaterThan(1);
    expect(Math.max(...used) - before).toBeLessThan(100 * 1024 * 1024);
  });

  test('whose lego does not end when asked to is killed, with all that it started', async () => {
    const script = `trap '' TERM; sleep 601 & echo $! > ${folder}/child; while :; do sleep 1; done`;
    const limits = { order: 1_000, grace: 200 };
    const { lego } = started(NOWHERE, { bin: standIn(script), limits });
    expect((await failed(lego.order(order()))).code).toBe('CERTIFICATE_FAILED');
    const child = Number(readFileSync(`${folder}/child`, 'utf8'));
    await until(() => {
      try {
        return readFileSync(`/proc/${child}/stat`, 'utf8').includes(') Z ');
      } catch {
        return true;
      }
    });
  });

  test('ends at once when the hub stops, and so does one that waits for its turn', async () => {
    const { lego } = started(NOWHERE, { bin: standIn('exec sleep 602') });
    const both = [failed(lego.order(order())), failed(lego.order(order()))];
    await lego.providers();
    await lego.end();
    expect((await Promise.all(both)).map(({ code }) => code)).toEqual(['STOPPING', 'STOPPING']);
    expect((await failed(lego.order(order()))).code).toBe('STOPPING');
  });

  test('without lego names the command that installs it', async () => {
    const { lego } = started(NOWHERE, { bin: join(folder, 'none') });
    expect(await failed(lego.order(order()))).toMatchObject({
      code: 'CERTIFICATE_FAILED',
      hint: expect.stringContaining('sudo apt-get install lego'),
    });
  });

  test.each(['exec', 'manual', 'acme-dns'])('by the provider %s is refused', async (provider) => {
    const { lego } = started(NOWHERE);
    const failure = await failed(lego.order({ ...order(), dns: { provider, credentials: {} } }));
    expect([failure.code, failure.at.field]).toEqual(['INVALID_REQUEST', 'dns.provider']);
  });

  test('with a credential that names a file is refused', async () => {
    const { lego } = started(NOWHERE);
    const credentials = { ...dns.spec.credentials, RFC2136_TSIG_SECRET_FILE: '/etc/shadow' };
    const failure = await failed(lego.order({ ...order(), dns: { ...dns.spec, credentials } }));
    expect([failure.code, failure.at.field]).toEqual([
      'INVALID_REQUEST',
      'dns.credentials.RFC2136_TSIG_SECRET_FILE',
    ]);
  });

  test('with a credential too few names the field', async () => {
    const { lego } = started(NOWHERE);
    const failure = await failed(
      lego.tryOut({ ...order(), dns: { provider: 'rfc2136', credentials: {} } }),
    );
    expect([failure.code, failure.at.field]).toEqual(['INVALID_REQUEST', 'dns.credentials']);
    expect(failure.detail).toMatch(/(RFC2136|DNSUPDATE)_NAMESERVER/);
  });
});
