/** The steps of a request, and what is said of each cause: what it means, and what to do, as docs/troubleshooting.md says too. */

/** The way of a request, in its order. */
export const STEPS = [
  'name',
  'port',
  'certificate',
  'policy',
  'connect',
  'speak',
  'answer',
] as const;
export type Step = (typeof STEPS)[number];

/** Without addresses, ports and banners: viewers get these words. */
type CauseWords = Readonly<{ step: Step; title: string; advice: string }>;

/** In the order of a request. */
export const CAUSE_WORDS = {
  NAME_UNKNOWN: {
    step: 'name',
    title: 'The name of the site is not known: the DNS has no address for it.',
    advice: 'Add an A or AAAA record for the name, with the address of the proxy’s machine.',
  },
  NAME_ELSEWHERE: {
    step: 'name',
    title: 'The name of the site points to another machine.',
    advice: 'Change the DNS record of the name to the address of the proxy’s machine.',
  },
  PORT_HELD: {
    step: 'port',
    title: 'Another program holds the port of the site.',
    advice: 'Stop the other program, or give it another port; Caddy then opens the port by itself.',
  },
  PORT_CLOSED: {
    step: 'port',
    title: 'The port of the site is closed.',
    advice: 'Look at the proxy’s problems in the overview: Caddy does not listen where it should.',
  },
  CERTIFICATE_EXPIRED: {
    step: 'certificate',
    title: 'The certificate of the site has expired.',
    advice: 'Upload a new certificate, or let Caddy get one.',
  },
  CERTIFICATE_REFUSED: {
    step: 'certificate',
    title: 'The authority refuses to sign a certificate for the site.',
    advice:
      'Do what the authority asks for, use the DNS challenge, or let Caddy sign it (tls internal).',
  },
  CERTIFICATE_PENDING: {
    step: 'certificate',
    title: 'The site has no certificate yet.',
    advice:
      'Wait a minute while Caddy gets it. If it takes longer, the site’s page shows what the authority says.',
  },
  CERTIFICATE_UNTRUSTED: {
    step: 'certificate',
    title: 'The certificate is of Caddy’s own authority, which browsers do not know.',
    advice:
      'Install the root of Caddy’s authority where you visit the site from, or remove `tls internal` so that a public authority signs.',
  },
  SIGN_IN_DOWN: {
    step: 'policy',
    title: 'The sign-in service of the site does not answer.',
    advice: 'Start the sign-in service, or correct its address in the policy or the config.',
  },
  SIGN_IN_LOOP: {
    step: 'policy',
    title: 'The sign-in page is behind the same sign-in.',
    advice:
      'Take the sign-in off the site of the sign-in service, or exempt the paths of its page.',
  },
  SHUT_OUT: {
    step: 'policy',
    title: 'A policy or the config of the site shuts visitors out.',
    advice: 'Let the visitors’ network in by the policy, or take the policy off the site.',
  },
  UPSTREAM_ITSELF: {
    step: 'connect',
    title: 'The upstream is Caddy itself: requests would come back again and again.',
    advice: 'Give the site the address and port of the service instead of Caddy’s own.',
  },
  UPSTREAM_NAME: {
    step: 'connect',
    title: 'The name of the upstream is not known.',
    advice: 'Correct the name of the upstream, or use its IP address.',
  },
  UPSTREAM_LOCALHOST: {
    step: 'connect',
    title: 'The upstream is on the loopback of the container that Caddy runs in.',
    advice:
      'In a container, 127.0.0.1 is the container itself. Use the name of the service’s container, or host.docker.internal for a service of the host (on Linux, Caddy’s container needs `extra_hosts: ["host.docker.internal:host-gateway"]` for that).',
  },
  UPSTREAM_TIMEOUT: {
    step: 'connect',
    title: 'The host of the upstream does not answer.',
    advice: 'Check whether the machine is on, its address is right, and no firewall is in between.',
  },
  UPSTREAM_REFUSED: {
    step: 'connect',
    title: 'Nothing listens where the upstream should be.',
    advice: 'Start the service, or correct the port of the upstream.',
  },
  SPEAKS_TLS: {
    step: 'speak',
    title: 'The upstream wants HTTPS, and gets plain HTTP.',
    advice: 'Put https:// before the address of the upstream.',
  },
  SPEAKS_PLAIN: {
    step: 'speak',
    title: 'The upstream speaks plain HTTP, but the config says HTTPS or h2c.',
    advice: 'Remove https:// (or h2c://) before the address of the upstream.',
  },
  UPSTREAM_UNTRUSTED: {
    step: 'speak',
    title: 'Caddy does not trust the certificate of the upstream.',
    advice:
      'Give the service a certificate that the proxy’s machine trusts, name its authority in the config (tls_trusted_ca_certs), or do without verification (tls_insecure_skip_verify).',
  },
  NOT_HTTP: {
    step: 'speak',
    title: 'The upstream is no web server.',
    advice: 'Use the port of the service’s web interface, if it has one. Caddy only forwards HTTP.',
  },
  SPEAKS_H2: {
    step: 'speak',
    title: 'The upstream speaks HTTP/2 only, without TLS.',
    advice: 'Put h2c:// before the address of the upstream.',
  },
  CLOSES: {
    step: 'speak',
    title: 'The upstream closes each connection without an answer.',
    advice:
      'Look at the log of the service: it may take connections from some addresses only, or be no web server.',
  },
  HANGS: {
    step: 'speak',
    title: 'The upstream takes connections, and does not answer.',
    advice: 'Look at the log of the service, and start it again: it hangs, or is overloaded.',
  },
  REDIRECT_LOOP: {
    step: 'answer',
    title: 'The service redirects visitors to where they came from, again and again.',
    advice:
      'Tell the service that Caddy takes care of HTTPS: let it believe X-Forwarded-Proto, or switch its own redirect to HTTPS off.',
  },
  REDIRECT_ELSEWHERE: {
    step: 'answer',
    title: 'The service redirects visitors to an address of its own, which they do not reach.',
    advice: 'Set the public address of the service in its own configuration to that of the site.',
  },
  PROXY_NOT_TRUSTED: {
    step: 'answer',
    title: 'The service refuses requests that come by way of a proxy it does not know.',
    advice: 'Add the address of Caddy to the trusted proxies in the service’s own configuration.',
  },
  HOST_REFUSED: {
    step: 'answer',
    title: 'The service refuses the name of the site.',
    advice: 'Add the name of the site to the allowed hosts in the service’s own configuration.',
  },
  TOO_LARGE: {
    step: 'answer',
    title: 'A request or an answer is larger than allowed.',
    advice:
      'Raise the limit in the service’s own configuration, or max_size of request_body in the config.',
  },
  WEBSOCKET_REFUSED: {
    step: 'answer',
    title: 'The service refuses the websocket.',
    advice:
      'Allow the address of the site as an origin in the service’s own configuration, and remove changes of the headers Upgrade and Connection from the config.',
  },
  UPSTREAM_ERROR: {
    step: 'answer',
    title: 'The service itself answers with an error.',
    advice: 'Look at the log of the service: the request reaches it, and it fails.',
  },
} as const satisfies Record<string, CauseWords>;
export type Cause = keyof typeof CAUSE_WORDS;

/** What a cause means; undefined of a code that is none, as an agent of another version may have it. */
export const wordsOfCause = (code: string): CauseWords | undefined =>
  (CAUSE_WORDS as Readonly<Record<string, CauseWords>>)[code];
