/** What a visitor notices of a vhost's certificates. Pure. */
import type { VhostState } from './vhost-state.ts';

export type CertificateWarning = { code: 'NO_CERTIFICATE' | 'LOCAL_CERTIFICATE'; message: string };

/** Of the addresses that are served over TLS, in their order. */
export function certificateWarnings(addresses: VhostState['addresses']): CertificateWarning[] {
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
