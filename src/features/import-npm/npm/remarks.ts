/** What an import says about a host besides, in the same words for all. Pure. */
import type { Remark } from './notes.ts';
import type { AnyHost, Host, StoredCertificate } from './rows.ts';

const info = (text: string): Remark => ({ level: 'info', text });
const warning = (text: string): Remark => ({ level: 'warning', text });

/** @param takes whether uploaded certificates come along */
export function certificateRemarks(
  host: AnyHost,
  certificate: StoredCertificate | undefined,
  takes: boolean,
): Remark[] {
  if (!certificate) {
    const looksSecure = host.certificateId !== 0 || host.isForcedToHttps || host.hsts !== 'none';
    return [looksSecure ? LOOKS_SECURE : PLAIN];
  }
  return [
    ...(host.isForcedToHttps ? [] : [BOTH]),
    ...(certificate.provider === 'other' ? [takes ? TAKEN : UPLOADED] : [issued(certificate)]),
  ];
}

const PLAIN = info(
  'It has no certificate in NPM, and stays plain HTTP. Remove http:// from its address, and Caddy gets a certificate and serves HTTPS.',
);
const LOOKS_SECURE = warning(
  'NPM shows HTTPS for it, but serves plain HTTP because its certificate is missing; so it stays plain HTTP. Remove http:// from its address, and Caddy gets a certificate and serves HTTPS.',
);
const BOTH = info(
  'It stays reachable over plain HTTP as well, as in NPM. Remove its http:// address to redirect visitors to HTTPS.',
);
const TAKEN = info('Its uploaded certificate comes along, and is kept by signalbox.');
const UPLOADED = warning(
  'Its certificate was uploaded to NPM and stays there, with its key. Caddy gets one of its own, unless you take the certificates along or upload this one on the page Certificates.',
);

function issued({ domains, isByDns }: StoredCertificate): Remark {
  if (isByDns || domains.some((name) => name.startsWith('*.'))) {
    return warning(
      `Order a certificate by DNS for ${domains.join(', ')} on the page Certificates. The credentials that NPM has for that are not taken over.`,
    );
  }
  return info('Caddy gets a certificate of its own as soon as ports 80 and 443 lead to it.');
}

/** Of hosts that get a policy for HSTS. */
export const hstsRemarks = (hsts: Host['hsts']): Remark[] => [
  info(
    'Strict-Transport-Security is sent for a year and without `preload`, which NPM always adds although nobody can choose it.',
  ),
  ...(hsts === 'subdomains'
    ? [
        warning(
          'HSTS with subdomains was chosen for it. NPM sends one value for all hosts, that of the file it reads last; here browsers refuse plain HTTP for its subdomains too.',
        ),
      ]
    : []),
];

/** Whether a setting of a variant of NPM may keep visitors out. */
export const isGuard = (name: string): boolean => /auth|access|mtls|config/.test(name);

/** @param isProtected by an access list */
export function remarksOf(host: AnyHost, isProtected: boolean): Remark[] {
  const remarks: Remark[] = [];
  if (!host.isEnabled) remarks.push(info('It is off in NPM, too.'));
  const extras = host.unknown.filter((name) => !isGuard(name));
  if (extras.length > 0) {
    remarks.push(
      warning(
        `This variant of NPM has more settings, which are not taken over: ${extras.join(', ')}.`,
      ),
    );
  }
  if (host.kind !== 'dead' && host.blocksExploits) {
    remarks.push(
      warning(
        'NPM’s “Block Common Exploits” is not taken over: it answers 403 to some query strings and user agents, harmless ones too.',
      ),
    );
  }
  if (host.kind !== 'proxy') return remarks;
  if ([host.to, ...host.locations].some((target) => /^[^.:/]+\/?$/.test(target.host.trim()))) {
    remarks.push(CONTAINER);
  }
  if (host.caches) {
    remarks.push(
      isProtected
        ? warning(
            'NPM caches its images, scripts and styles, and serves them without asking the access list. Here the list covers them, and nothing is cached.',
          )
        : info('NPM caches its images, scripts and styles for half an hour; Caddy does not.'),
    );
  }
  if (host.trustsForwardedProto) {
    remarks.push(
      warning(
        'NPM believes the header X-Forwarded-Proto of its visitors, and does not redirect them if it says https. Here plain HTTP is always redirected: if something before this machine ends TLS, give it an http:// address.',
      ),
    );
  }
  return remarks;
}

const CONTAINER = warning(
  'It forwards to a name without a dot: if that is a container, only NPM’s Docker network knows it. Publish the port of the container, and enter its address as the upstream.',
);
