/** When certificates are renewed, and what a failure brings. The authority is a stand-in that signs itself. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificateOrder } from '../../../src/features/certificates/lego/order.ts';
import { createRenewals, type Renewals } from '../../../src/features/certificates/renewals.ts';
import { createSealedCertificates } from '../../../src/features/certificates/sealed.ts';
import { openDatabase } from '../../../src/hub/db/open.ts';
import { createSealing } from '../../../src/hub/db/sealing.ts';
import { createCertificateChange } from '../../../src/hub/model/certificate-changes.ts';
import type { Change } from '../../../src/hub/model/changes.ts';
import type { Pair } from '../../../src/hub/model/pem.ts';
import { chainFacts } from '../../../src/hub/model/pem.ts';
import { createStore } from '../../../src/hub/model/store.ts';
import type { SiteSet } from '../../../src/hub/model/vhost.ts';
import type { Publisher } from '../../../src/hub/publish/publisher.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { selfSigned } from '../../harness/certificate.ts';
import { temporaryFolder, until } from '../../harness/stack.ts';

const AUTHOR = { userId: 'u', userName: 'Ada', via: null };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ORDER: CertificateOrder = {
  names: ['*.home.example'],
  email: 'ada@example.org',
  dns: { provider: 'rfc2136', credentials: { TOKEN: 'secret' } },
};

async function issued(days = 90): Promise<Pair> {
  const { certificate: chain, key } = await selfSigned(['*.home.example'], days * 86_400);
  return { chain, key };
}

let folder: string;
let set: SiteSet;
let now: Date;
let onOrder: () => void;
let orders: number;
/** What the authority, and the proxies, fail with. */
let refusal: Failure | null;
let away: Failure | null;
let renewals: Renewals;
let close: () => void;

const failed = (words: string) => new Failure('CERTIFICATE_FAILED', words);
const first = () => set.certificates[0] as SiteSet['certificates'][number];

beforeEach(async () => {
  folder = temporaryFolder();
  const database = openDatabase(join(folder, 'hub.db'));
  const store = createStore(database);
  const sealing = createSealing(database.db, join(folder, 'secret-key'));
  const certificates = createSealedCertificates(sealing);
  [orders, refusal, away, now] = [0, null, null, new Date()];
  onOrder = () => {};
  const apply = async <T>(change: Change<T>) => {
    if (away) throw away;
    const plan = await change(set, now);
    if ('done' in plan) throw new Error('nothing changed');
    store.commit([{ author: AUTHOR, plan }], now);
    set = store.load();
    return {
      result: plan.result,
      group: 1,
      behind: [],
      open: [],
      untried: new Map<string, string>(),
    };
  };
  const publisher = { current: () => set, apply } as Partial<Publisher> as Publisher;
  const lego = {
    async order() {
      orders++;
      onOrder();
      if (refusal) throw refusal;
      return await issued();
    },
  };
  renewals = createRenewals(
    { db: database.db, publisher, now: () => now, log: () => {} },
    lego,
    certificates,
    { every: 5, firstPause: HOUR, longestPause: 24 * HOUR },
  );
  set = store.load();
  await apply(createCertificateChange('home', certificates.contentFor(await issued(), ORDER)));
  close = () => {
    renewals.end();
    database.close();
    rmSync(folder, { recursive: true, force: true });
  };
});
afterEach(() => close());

test('it is due with a third of its life left, or a little earlier', () => {
  const { notAfter } = chainFacts(first());
  const left = (notAfter.getTime() - (renewals.dueAt(first())?.getTime() ?? 0)) / DAY;
  expect(left).toBeGreaterThanOrEqual(30);
  expect(left).toBeLessThan(33.1);
});

test('what is due is renewed once, and nothing before', async () => {
  const before = first();
  renewals.begin();
  await Bun.sleep(50);
  expect(orders).toBe(0);
  now = new Date(now.getTime() + 61 * DAY);
  // What is issued begins today.
  onOrder = () => {
    now = new Date();
  };
  await until(() => first().chain !== before.chain);
  await Bun.sleep(50);
  expect(orders).toBe(1);
  expect(renewals.failed().size).toBe(0);
});

test('a failure is noted, and tried again after 1, 2, 4 … 24 hours', async () => {
  refusal = failed('The zone is not ours.');
  now = new Date(now.getTime() + 61 * DAY);
  for (const hours of [1, 2, 4, 8, 16, 24, 24]) {
    await expect(renewals.renew(first(), AUTHOR)).rejects.toThrow('The zone is not ours.');
    expect(renewals.failed().get(first().id)?.error).toBe('The zone is not ours.');
    expect(renewals.dueAt(first())).toEqual(new Date(now.getTime() + hours * HOUR));
  }
  refusal = null;
  await renewals.renew(first(), AUTHOR);
  expect(renewals.failed().size).toBe(0);
});

test('what cannot be published is kept, and not ordered again', async () => {
  const before = first();
  away = new Failure('AGENT_UNREACHABLE', 'No agent is reachable.');
  await expect(renewals.renew(before, AUTHOR)).rejects.toThrow('No agent is reachable.');
  expect(first()).toBe(before);
  away = null;
  await renewals.renew(before, AUTHOR);
  expect([orders, first().chain !== before.chain]).toEqual([1, true]);
});

test('one that was replaced meanwhile is left alone', async () => {
  const before = first();
  await renewals.renew(before, AUTHOR);
  const after = first();
  await expect(renewals.renew(before, AUTHOR)).rejects.toThrow('was changed while');
  expect(first()).toBe(after);
  expect([renewals.failed().size, orders]).toEqual([0, 2]);
  // What was obtained in vain is not kept for the next time, when it may be months old.
  await renewals.renew(after, AUTHOR);
  expect([first() === after, orders]).toEqual([false, 3]);
});
