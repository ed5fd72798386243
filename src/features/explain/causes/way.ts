/** Causes on the way to Caddy: the name, the port, the certificate. Pure. */
import { isInternalName } from '../../../shared/internal-names.ts';
import type { Row } from '../facts.ts';

export const WAY: readonly Row[] = [
  {
    code: 'NAME_UNKNOWN',
    test: ({ name, host, visited }) =>
      name.state === 'none' && !visited
        ? { words: `The name servers know no address of ${host}.` }
        : null,
  },
  {
    code: 'NAME_ELSEWHERE',
    test({ name, host, visited, container, hasOthers }) {
      const isElsewhere =
        name.state === 'loopback' || (name.state === 'private' && !container && !hasOthers);
      if (!isElsewhere || visited) return null;
      return {
        words: `${host} points to ${name.addresses.join(' and ')}, which is not this machine’s address in the network.`,
      };
    },
  },
  {
    code: 'PORT_HELD',
    test: ({ listener, port }) =>
      listener.state === 'held'
        ? { words: `Caddy cannot open port ${port}: it is ${listener.reason}.` }
        : null,
  },
  {
    code: 'PORT_CLOSED',
    test: ({ listener, port }) =>
      listener.state === 'closed'
        ? { words: `Port ${port} is closed: ${listener.reason ?? 'nothing listens there'}.` }
        : null,
  },
  {
    code: 'CERTIFICATE_EXPIRED',
    test: ({ certificate }) =>
      certificate.state === 'expired' ? { words: `The certificate: ${certificate.words}` } : null,
  },
  {
    code: 'CERTIFICATE_REFUSED',
    test: ({ certificate }) =>
      certificate.state === 'refused' ? { words: certificate.words } : null,
  },
  {
    code: 'CERTIFICATE_PENDING',
    test: ({ certificate, host }) =>
      certificate.state === 'pending'
        ? { words: `There is no certificate for ${host || 'the site'} yet. ${certificate.words}` }
        : null,
  },
  {
    code: 'CERTIFICATE_UNTRUSTED',
    // Whoever has installed the root sees no fault.
    test: ({ certificate, host, visited, tls }) =>
      tls && certificate.state === 'own' && host.includes('.') && !isInternalName(host) && !visited
        ? {
            words: `Caddy’s own authority has signed the certificate for ${host}: browsers warn unless its root is installed.`,
            isDoubtful: true,
          }
        : null,
  },
];
