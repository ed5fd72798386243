/** Causes on the way to Caddy: the name, the port, the certificate. Pure. */
import { isInternalName } from '../../../shared/internal-names.ts';
import type { Row } from '../facts.ts';

export const WAY: readonly Row[] = [
  {
    code: 'NAME_UNKNOWN',
    title: 'The name of the site is not known: the DNS has no address for it.',
    advice: 'Add an A or AAAA record for the name, with the address of the proxy’s machine.',
    test: ({ name, host, visited }) =>
      name.state === 'none' && !visited
        ? { words: `The name servers know no address of ${host}.` }
        : null,
  },
  {
    code: 'NAME_ELSEWHERE',
    title: 'The name of the site points to another machine.',
    advice: 'Change the DNS record of the name to the address of the proxy’s machine.',
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
    title: 'Another program holds the port of the site.',
    advice: 'Stop the other program, or give it another port; Caddy then opens the port by itself.',
    test: ({ listener, port }) =>
      listener.state === 'held'
        ? { words: `Caddy cannot open port ${port}: it is ${listener.reason}.` }
        : null,
  },
  {
    code: 'PORT_CLOSED',
    title: 'The port of the site is closed.',
    advice: 'Look at the proxy’s problems in the overview: Caddy does not listen where it should.',
    test: ({ listener, port }) =>
      listener.state === 'closed'
        ? { words: `Port ${port} is closed: ${listener.reason ?? 'nothing listens there'}.` }
        : null,
  },
  {
    code: 'CERTIFICATE_EXPIRED',
    title: 'The certificate of the site has expired.',
    advice: 'Upload a new certificate, or let Caddy get one.',
    test: ({ certificate }) =>
      certificate.state === 'expired' ? { words: `The certificate: ${certificate.words}` } : null,
  },
  {
    code: 'CERTIFICATE_REFUSED',
    title: 'The authority refuses to sign a certificate for the site.',
    advice:
      'Do what the authority asks for, use the DNS challenge, or let Caddy sign it (tls internal).',
    test: ({ certificate }) =>
      certificate.state === 'refused' ? { words: certificate.words } : null,
  },
  {
    code: 'CERTIFICATE_PENDING',
    title: 'The site has no certificate yet.',
    advice:
      'Wait a minute while Caddy gets it. If it takes longer, the site’s page shows what the authority says.',
    test: ({ certificate, host }) =>
      certificate.state === 'pending'
        ? { words: `There is no certificate for ${host || 'the site'} yet. ${certificate.words}` }
        : null,
  },
  {
    code: 'CERTIFICATE_UNTRUSTED',
    title: 'The certificate is of Caddy’s own authority, which browsers do not know.',
    advice:
      'Install the root of Caddy’s authority where you visit the site from, or remove `tls internal` so that a public authority signs.',
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
