/** Which hub an enrolled agent obeys, and the hashes of the tokens that it accepts; never a token. */
import { timingSafeEqual } from 'node:crypto';
import { messageOf } from '../../src/shared/async.ts';
import { type KnownToken, tokenHash } from '../../src/shared/bearer.ts';
import { Failure } from '../../src/shared/failure.ts';
import type { Log } from '../../src/shared/log.ts';
import { readIfThere, writeDurably } from '../../src/shared/system/files.ts';
import type { EnrolledHub } from '../caddy/proxy.ts';

export type Credentials = {
  /** The hub that was enrolled last, and its term then; null before the first one. */
  enrolled(): EnrolledHub | null;
  /** Before the first use of a new token, the previous one is valid as well; after it, no more. */
  isKnown: KnownToken;
  /** Replaces the hub. On disk once it returns. @throws file system errors, nothing changed then */
  enrol(hub: EnrolledHub, token: string): void;
  /** Accepts another token as well, until that is used. @throws as `enrol`; Error before that */
  rotate(token: string): void;
  /**
   * Accepts no token any more, until the next enrolment; the hub stays known, as its sites stay.
   * @throws as `enrol`; Failure OTHER_HUB for another hub, or an older copy of it
   */
  forget(hub: EnrolledHub): void;
};

/** `token` and `previous` are SHA-256 hashes in hexadecimal; null if there is none. */
type Kept = EnrolledHub & { token: string | null; previous: string | null };

/** Which file of the data folder holds them. */
export const CREDENTIALS_FILE = 'enrolment.json';

/** @throws Error if the file is damaged; file system errors */
export function createCredentials(file: string, log: Log): Credentials {
  let kept = read(file);

  function keep(next: Kept): void {
    writeDurably(file, `${JSON.stringify(next)}\n`, 0o600);
    kept = next;
  }

  /** A full disk must not keep the hub out: then the next request tries again. */
  function dropPrevious(now: Kept): void {
    try {
      keep({ ...now, previous: null });
    } catch (error) {
      log('previous token still valid', { reason: messageOf(error) }, 'warn');
    }
  }

  return {
    enrolled: () => kept && { hub: kept.hub, term: kept.term },

    isKnown(hash) {
      if (kept === null) return false;
      const { token, previous } = kept;
      const isNewest = token !== null && timingSafeEqual(hash, bytes(token));
      const isPrevious = previous !== null && timingSafeEqual(hash, bytes(previous));
      if (isNewest && previous !== null) dropPrevious(kept);
      return isNewest || isPrevious;
    },

    enrol: ({ hub, term }, token) => keep({ hub, term, token: hex(token), previous: null }),

    rotate(token) {
      if (kept === null) throw new Error('no hub is enrolled');
      if (hex(token) === kept.token) return;
      // The newest one was not used yet: it is replaced, and not the one in use.
      keep({ ...kept, token: hex(token), previous: kept.previous ?? kept.token });
    },

    forget({ hub, term }) {
      if (kept === null || kept.hub !== hub || kept.term > term) {
        throw new Failure('OTHER_HUB', 'Another hub was enrolled since.');
      }
      keep({ ...kept, token: null, previous: null });
    },
  };
}

const hex = (token: string): string => tokenHash(token).toString('hex');
const bytes = (hash: string): Buffer => Buffer.from(hash, 'hex');

function read(file: string): Kept | null {
  const text = readIfThere(file);
  if (text === null) return null;
  try {
    const { hub, term, token, previous } = JSON.parse(text) as Record<keyof Kept, unknown>;
    if (
      typeof hub === 'string' &&
      typeof term === 'number' &&
      (token === null || isHash(token)) &&
      (previous === null || isHash(previous))
    ) {
      return { hub, term, token, previous };
    }
  } catch {
    // Not JSON.
  }
  throw new Error(
    `${file} is damaged: remove it and invite the hub again (signalbox agent --invite)`,
  );
}

const isHash = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
