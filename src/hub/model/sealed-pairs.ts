/** Seals the keys of certificates that the hub keeps, and opens them for the proxies that serve these. */
import { Failure } from '../../shared/failure.ts';
import type { Sealing } from '../db/sealing.ts';
import { type Certificate, ofKey } from './certificate.ts';
import type { ContentFor } from './certificate-changes.ts';
import type { Pair } from './pem.ts';

export type SealedPairs = {
  /** What is stored of a pair that nobody ordered. @throws as `Sealing.seal` */
  contentFor(pair: Pair): ContentFor;
  /** Null if its key cannot be read. */
  pairOf(certificate: Certificate): Pair | null;
};

export function createSealedPairs({ seal, open }: Pick<Sealing, 'seal' | 'open'>): SealedPairs {
  return {
    contentFor:
      ({ chain, key }) =>
      (id) => ({
        chain,
        key: seal(key, ofKey(id)).toString('base64'),
        provider: null,
        spec: null,
      }),

    pairOf({ id, chain, key }) {
      try {
        return { chain, key: open(Buffer.from(key, 'base64'), ofKey(id)) };
      } catch (error) {
        if (error instanceof Failure) return null;
        throw error;
      }
    },
  };
}
