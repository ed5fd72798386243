// proof: acme
/** An order that a `kill -9` ends, of lego or of the hub: the next one works, with the same account. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificateOrder } from '../../../../src/features/certificates/lego/order.ts';
import type { Failure } from '../../../../src/shared/failure.ts';
import { type Acme, HAS_ACME, LEGO, startAcme } from '../../../harness/acme.ts';
import { until } from '../../../harness/stack.ts';
import { startLego } from './start-lego.ts';

/** What has just happened when the kill comes; after each, lego waits at least once for the record. */
const MOMENTS = ['an account was asked for', 'an order was taken', 'the record was set'] as const;

describe.skipIf(!HAS_ACME)('kill -9', () => {
  let acme: Acme;
  let stop = async () => {};
  beforeAll(async () => {
    acme = await startAcme();
  });
  afterEach(() => stop());
  afterAll(() => acme.stop());

  const order = (): CertificateOrder => ({
    names: ['home.example'],
    email: 'ada@home.example',
    dns: acme.dns.spec,
  });
  const accounts = () => acme.logged('accounts in memory');
  const times = (moment: (typeof MOMENTS)[number]): number => {
    if (moment === 'the record was set') return acme.dns.changes();
    return acme.logged(moment === 'an order was taken' ? 'POST /order-plz' : 'POST /sign-me-up');
  };

  /** The lego that works in a folder. */
  const legoOf = (folder: string): number | undefined =>
    readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0)
      .find((pid) => {
        try {
          const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
          return words.includes(folder) && words.includes('run');
        } catch {
          return false;
        }
      });

  test.each(MOMENTS)('of lego once %s', async (moment) => {
    const { lego, folder, files, ...one } = startLego(acme);
    stop = one.stop;
    const [made, seen] = [accounts(), times(moment)];
    const killed: Promise<Failure | unknown> = lego.order(order()).catch((failure) => failure);
    await until(() => times(moment) > seen);
    const pid = await until(() => legoOf(folder));
    process.kill(pid, 'SIGKILL');
    expect(await killed).toMatchObject({
      code: 'CERTIFICATE_FAILED',
      message: expect.stringContaining('killed (SIGKILL)'),
    });
    const { chain } = await lego.order(order());
    expect(chain).toContain('BEGIN CERTIFICATE');
    expect(accounts()).toBe(made + 1);
    expect(files().length).toBe(2);
  });

  test.each(MOMENTS)('of the hub once %s', async (moment) => {
    const { lego, folder, files, ...one } = startLego(acme);
    stop = one.stop;
    const [made, seen] = [accounts(), times(moment)];
    const settings = { bin: LEGO, directory: acme.directory, roots: acme.roots };
    const given = JSON.stringify({ settings, folder, order: order() });
    const hub = Bun.spawn([process.execPath, join(import.meta.dir, 'killed-hub.ts'), given], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    await until(() => times(moment) > seen);
    hub.kill('SIGKILL');
    await hub.exited;
    const { chain } = await lego.order(order());
    expect(chain).toContain('BEGIN CERTIFICATE');
    expect(accounts()).toBe(made + 1);
    // Nobody reads what it says: it ends at its next word.
    await until(() => legoOf(folder) === undefined);
    expect(files().filter((file) => !/account\.json|\.key/.test(file))).toEqual([]);
  });
});
