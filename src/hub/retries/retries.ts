/** `Idempotency-Key`: a request that is sent again gets the first answer, and changes nothing again. */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { Failure } from '../../shared/failure.ts';
import type { Caller } from '../auth/guard.ts';
import type { Db } from '../db/open.ts';
import { findAnswer, type KeptAnswer, keepAnswer } from '../model/answers.ts';
import type { SiteSet } from '../model/vhost.ts';
import type { Applied, Demands } from '../publish/queue.ts';

/** What is answered: the body, and its ETag if it has one. */
type Answer<B> = { body: B; etag?: string };

/** What of the answer is known when the change is stored. */
type Draft<T> = (applied: Applied<T>, next: SiteSet) => Answer<object>;

/** Has the answer stored together with the change. */
type Keep = <T>(draft: Draft<T>) => Pick<Demands, 'answer'>;

type Asked = {
  request: Request;
  who: Caller;
  /** As the route’s schemas leave them. */
  body: unknown;
  query: unknown;
  set: { status?: number | string; headers: Record<string, string | number> };
};

export type Retries = {
  /**
   * Does the work of a request once for each key, and answers it.
   * @param status of the answer
   * @throws Failure INVALID_REQUEST for a malformed key, KEY_REUSED if it came with another body; and as `work`
   */
  once<B extends object>(
    asked: Asked,
    status: number,
    work: (keep: Keep) => Promise<Answer<B>>,
  ): Promise<B>;
};

/** Visible ASCII characters. */
const KEY = /^[\x21-\x7e]{1,255}$/;

export function createRetries({ db, now }: { db: Db; now: () => Date }): Retries {
  /** What is not answered yet, by its key. */
  const underWay = new Map<string, Promise<unknown>>();

  async function work<B extends object>(
    given: string,
    ids: Pick<KeptAnswer, 'key' | 'whose' | 'request'>,
    status: number,
    run: (keep: Keep) => Promise<Answer<B>>,
  ): Promise<Answer<B>> {
    const kept = ({ body, etag }: Answer<object>): KeptAnswer => ({
      ...ids,
      status,
      etag: etag ?? null,
      body: sealed(given, JSON.stringify(body)),
      createdAt: now(),
    });
    const answer = await run((draft) => ({
      answer: (applied, next) => kept(draft(applied as Parameters<typeof draft>[0], next)),
    }));
    try {
      keepAnswer(db, kept(answer));
    } catch {
      // The draft is stored with the change, which must not look refused now.
    }
    return answer;
  }

  return {
    async once<B extends object>(
      asked: Asked,
      status: number,
      run: (keep: Keep) => Promise<Answer<B>>,
    ) {
      const { set } = asked;
      const given = asked.request.headers.get('idempotency-key');
      if (given === null) {
        const { body, etag } = await run(() => ({}));
        return answered(set, status, etag, body);
      }
      const ids = idsOf(given, asked);
      for (let first = underWay.get(ids.key); first; first = underWay.get(ids.key)) {
        await first.catch(() => undefined);
      }
      const known = findAnswer(db, ids.key, now());
      if (known) {
        if (known.request !== ids.request) throw keyReused();
        if (!known.body) throw notKept(known.createdAt);
        return answered(
          set,
          known.status,
          known.etag,
          JSON.parse(unsealed(given, known.body)) as B,
        );
      }
      const made = work(given, ids, status, run).finally(() => underWay.delete(ids.key));
      underWay.set(ids.key, made);
      const { body, etag } = await made;
      return answered(set, status, etag, body);
    },
  };
}

function answered<B>(
  set: Asked['set'],
  status: number,
  etag: string | null | undefined,
  body: B,
): B {
  set.status = status;
  if (etag) set.headers.ETag = etag;
  return body;
}

/**
 * By which a retry is known. The key itself is not stored: with it, passwords in a body could be guessed
 * from what is.
 * @throws Failure INVALID_REQUEST
 */
function idsOf(key: string, { request, who, body, query }: Asked) {
  if (!KEY.test(key)) {
    throw new Failure('INVALID_REQUEST', 'An Idempotency-Key has 1 to 255 visible characters.');
  }
  const route = new URL(request.url).pathname;
  const whose = JSON.stringify([who.user.id, who.token ?? null]);
  return {
    key: createHash('sha256')
      .update(JSON.stringify([request.method, route, whose, key]))
      .digest('hex'),
    whose,
    request: createHmac('sha256', key)
      .update(JSON.stringify([body, query], sorted))
      .digest('hex'),
  };
}

/** Writes the fields of an object in one order, whatever theirs is. */
const sorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

const CIPHER = 'aes-256-gcm';
const [IV_BYTES, TAG_BYTES] = [12, 16];

/** An answer may hold hashes of passwords, so that only who has the key can read it. */
function sealed(key: string, text: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, secretOf(key), iv);
  const body = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...body]);
}

/** @throws Error if the database was tampered with */
function unsealed(key: string, bytes: Buffer): string {
  const begin = IV_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, secretOf(key), bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, begin));
  return decipher.update(bytes.subarray(begin), undefined, 'utf8') + decipher.final('utf8');
}

const secretOf = (key: string): Buffer => createHmac('sha256', key).update('answer').digest();

const notKept = (at: Date) =>
  new Failure('KEY_REUSED', 'This request was accepted before, but its answer is no longer kept.', {
    detail: `It was accepted at ${at.toISOString()}; nothing was changed again.`,
  });

const keyReused = () =>
  new Failure('KEY_REUSED', 'This Idempotency-Key was used for another request.', {
    hint: 'Use a new key for each change, and the same one only to repeat it.',
  });
