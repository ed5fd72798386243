/** Seals what is secret of kept certificates: their keys, and the orders that brought them. */
import type { Sealing } from '../../hub/db/sealing.ts';
import { type Certificate, ofSpec } from '../../hub/model/certificate.ts';
import type { ContentFor } from '../../hub/model/certificate-changes.ts';
import type { Pair } from '../../hub/model/pem.ts';
import { createSealedPairs } from '../../hub/model/sealed-pairs.ts';
import type { CertificateOrder } from './lego/order.ts';

export type SealedCertificates = {
  /** What is stored of a pair, and of the order that brought it, if there is one. @throws as `Sealing.seal` */
  contentFor(pair: Pair, order: CertificateOrder | null): ContentFor;
  /** Null if it was uploaded. @throws as `Sealing.open` */
  orderOf(certificate: Certificate): CertificateOrder | null;
};

export function createSealedCertificates({
  seal,
  open,
}: Pick<Sealing, 'seal' | 'open'>): SealedCertificates {
  const pairs = createSealedPairs({ seal, open });
  return {
    contentFor(pair, order) {
      const uploaded = pairs.contentFor(pair);
      if (order === null) return uploaded;
      return (id) => ({
        ...uploaded(id),
        provider: order.dns.provider,
        spec: seal(JSON.stringify(order), ofSpec(id)).toString('base64'),
      });
    },

    orderOf: ({ id, spec }) =>
      spec === null
        ? null
        : (JSON.parse(open(Buffer.from(spec, 'base64'), ofSpec(id))) as CertificateOrder),
  };
}
