/** What a visitor notices of a vhost's certificates. Pure. */
import type { Authority } from '../../../shared/wire-state.ts';
import type { Advice } from './advice.ts';

/** What counts of an address of a vhost. */
type Address = {
  name: string;
  tls: boolean;
  certificate: object | null;
  authority: Authority | null;
  advice: Advice | null;
};

export type CertificateWarning = { code: 'NO_CERTIFICATE' | 'LOCAL_CERTIFICATE'; message: string };

/** Of the addresses that are served over TLS, in their order. */
export function certificateWarnings(addresses: readonly Address[]): CertificateWarning[] {
  return addresses.flatMap(({ name, tls, certificate, authority, advice }) => {
    if (!tls) return [];
    if (!certificate && advice) {
      return { code: 'NO_CERTIFICATE', message: `${name} has no certificate: ${advice.message}` };
    }
    if (authority !== 'internal' || name === '') return [];
    const message = `Caddy’s own authority signs the certificate of ${name}: browsers warn until they trust its root.`;
    return { code: 'LOCAL_CERTIFICATE', message };
  });
}
