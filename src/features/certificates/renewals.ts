/** Obtains certificates by DNS-01, and renews them before they end, without anybody asking. */
import { eq, isNotNull, sql } from 'drizzle-orm';
import type { HubCore } from '../../hub/core.ts';
import { certificates } from '../../hub/db/schema.ts';
import type { Certificate } from '../../hub/model/certificate.ts';
import { type ContentFor, updateCertificateChange } from '../../hub/model/certificate-changes.ts';
import { type Author, ITSELF } from '../../hub/model/changes.ts';
import { chainFacts, type Pair, readPair } from '../../hub/model/pem.ts';
import type { Applied, Demands } from '../../hub/publish/queue.ts';
import { every, growing } from '../../shared/every.ts';
import { Failure, wordsOf } from '../../shared/failure.ts';
import type { Lego } from './lego/lego.ts';
import type { CertificateOrder } from './lego/order.ts';
import type { SealedCertificates } from './sealed.ts';

/** Milliseconds: from one look at what is due to the next; after a failure, doubled with each further one. */
type RenewalsPace = Readonly<{ every: number; firstPause: number; longestPause: number }>;

/** Why the last renewal of a certificate failed, when, and how many have in a row. */
export type FailedRenewal = Readonly<{ name: string; error: string; at: Date; failures: number }>;

export type Renewals = {
  /** What is stored of an order. @throws Failure as `Lego.order`; INVALID_REQUEST if what came is of no use */
  obtained(order: CertificateOrder): Promise<ContentFor>;
  /**
   * Replaces a certificate by a new one, however old it is.
   * @throws Failure as `obtained` and `Publisher.apply`; INVALID_REQUEST if it was uploaded,
   * PRECONDITION_FAILED if it was changed meanwhile
   */
  renew(certificate: Certificate, author: Author, demands?: Demands): Promise<Applied<Certificate>>;
  /** By the ids of certificates whose last renewal failed. */
  failed(): ReadonlyMap<number, FailedRenewal>;
  /** When it is renewed, or tried again; null if it was uploaded. */
  dueAt(certificate: Certificate, failures?: ReadonlyMap<number, FailedRenewal>): Date | null;
  /** Renews what is due from now on, one after another, until it is stopped. */
  begin(): void;
  end(): void;
};

/** As Caddy does, so that every authority has time to be away. */
const DUE_SHARE = 1 / 3;
/** How much earlier at most, as a share of the lifetime: not all at once. */
const JITTER_SHARE = 1 / 30;
/** Multiples of it, without their whole part, are spread evenly. */
const GOLDEN = 0.618_033_988_749_895;

export function createRenewals(
  { db, publisher, now, log }: Pick<HubCore, 'db' | 'publisher' | 'now' | 'log'>,
  lego: Pick<Lego, 'order'>,
  sealed: SealedCertificates,
  pace: RenewalsPace,
): Renewals {
  /** What was obtained and could not be published: authorities limit how often they sign the same names. */
  const unpublished = new Map<number, { spec: string | null; pair: Pair }>();

  const obtain = async (order: CertificateOrder): Promise<Pair> => {
    const { chain, key } = await lego.order(order);
    return readPair(chain, key, now());
  };

  function failed(): Map<number, FailedRenewal> {
    const { id, name, lastError, failedAt, failures } = certificates;
    const rows = db
      .select({ id, name, lastError, failedAt, failures })
      .from(certificates)
      .where(isNotNull(failedAt))
      .all();
    return new Map(
      rows.map(({ id, lastError, failedAt, ...row }) => [
        id,
        { ...row, error: lastError ?? '', at: new Date(failedAt ?? 0) },
      ]),
    );
  }

  /** That it cannot be noted must not hide why it failed. */
  function note({ id }: Certificate, error: unknown): void {
    try {
      const failures = sql`${certificates.failures} + 1`;
      db.update(certificates)
        .set({ failedAt: now().getTime(), failures, lastError: wordsOf(error) })
        .where(eq(certificates.id, id))
        .run();
    } catch (cause) {
      log('failed renewal not noted', { reason: wordsOf(cause) }, 'warn');
    }
  }

  function orderOf(certificate: Certificate): CertificateOrder {
    const order = sealed.orderOf(certificate);
    if (order) return order;
    const hint = 'Upload the next one instead.';
    throw new Failure('INVALID_REQUEST', 'The certificate was uploaded.', { hint });
  }

  const renew: Renewals['renew'] = async (before, author, demands) => {
    const { id, chain, spec } = before;
    const order = orderOf(before);
    try {
      const known = unpublished.get(id);
      const pair = known?.spec === spec ? known.pair : await obtain(order);
      unpublished.set(id, { spec, pair });
      const contentFor = sealed.contentFor(pair, order);
      const change = updateCertificateChange(id, { contentFor }, (stored) => {
        if (stored.chain === chain && stored.spec === spec) return;
        const message = 'The certificate was changed while its renewal was under way.';
        throw new Failure('PRECONDITION_FAILED', message);
      });
      const applied = await publisher.apply(change, author, demands);
      unpublished.delete(id);
      return applied;
    } catch (error) {
      const code = error instanceof Failure ? error.code : null;
      // It is another one by now, or gone.
      if (code === 'PRECONDITION_FAILED' || code === 'NOT_FOUND') unpublished.delete(id);
      else if (code !== 'STOPPING') note(before, error);
      throw error;
    }
  };

  function dueAt(
    certificate: Certificate,
    failures: ReadonlyMap<number, FailedRenewal> = failed(),
  ): Date | null {
    const { id, spec } = certificate;
    if (spec === null) return null;
    const { notBefore, notAfter } = chainFacts(certificate);
    const lifetime = notAfter.getTime() - notBefore.getTime();
    const early = DUE_SHARE + ((id * GOLDEN) % 1) * JITTER_SHARE;
    const due = notAfter.getTime() - lifetime * early;
    const failure = failures.get(id);
    if (!failure) return new Date(due);
    const pause = growing(failure.failures, pace.firstPause, pace.longestPause);
    return new Date(Math.max(due, failure.at.getTime() + pause));
  }

  let isEnded = false;

  /** One at a time: each may take minutes. Never fails. */
  async function renewDue(): Promise<void> {
    for (const one of publisher.current().certificates) {
      try {
        const due = dueAt(one);
        if (isEnded || due === null || due > now()) continue;
        await renew(one, ITSELF);
        log('certificate renewed', { name: one.name });
      } catch (error) {
        log('certificate not renewed', { name: one.name, reason: wordsOf(error) }, 'warn');
      }
    }
  }

  const looks = every({ pause: pace.every, first: pace.every }, renewDue);

  return {
    obtained: async (order) => sealed.contentFor(await obtain(order), order),
    renew,
    failed,
    dueAt,
    begin: looks.begin,
    end() {
      isEnded = true;
      // One that is under way ends with lego.
      void looks.end();
    },
  };
}
