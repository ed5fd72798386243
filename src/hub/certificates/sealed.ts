/** Seals what is secret of kept certificates, and opens it again. */
import { Failure } from '../../shared/failure.ts';
import type { Sealing } from '../db/sealing.ts';
import { type Certificate, ofKey, ofSpec } from '../model/certificate.ts';
import type { ContentFor } from '../model/certificate-changes.ts';
import type { Pair } from '../model/pem.ts';
import type { CertificateOrder } from './order.ts';

export type SealedCertificates = {
  /** What is stored of a pair, and of the order that brought it, if there is one. @throws as `Sealing.seal` */
  contentFor(pair: Pair, order: CertificateOrder | null): ContentFor;
  /** Null if its key cannot be read. */
  pairOf(certificate: Certificate): Pair | null;
  /** Null if it was uploaded. @throws as `Sealing.open` */
  orderOf(certificate: Certificate): CertificateOrder | null;
};

export function createSealedCertificates({
  seal,
  open,
}: Pick<Sealing, 'seal' | 'open'>): SealedCertificates {
  const sealed = (text: string, of: string) => seal(text, of).toString('base64');
  const opened = (text: string, of: string) => open(Buffer.from(text, 'base64'), of);
  return {
    contentFor:
      ({ chain, key }, order) =>
      (id) => ({
        chain,
        key: sealed(key, ofKey(id)),
        provider: order?.dns.provider ?? null,
        spec: order && sealed(JSON.stringify(order), ofSpec(id)),
      }),

    pairOf({ id, chain, key }) {
      try {
        return { chain, key: opened(key, ofKey(id)) };
      } catch (error) {
        if (error instanceof Failure) return null;
        throw error;
      }
    },

    orderOf: ({ id, spec }) =>
      spec === null ? null : (JSON.parse(opened(spec, ofSpec(id))) as CertificateOrder),
  };
}
