/** Valid values of every recipe, with every field. */
import { clientCertificate } from '../../../src/hub/recipes/policies/client-certificate.ts';
import type { Values } from '../../../src/hub/recipes/recipe.ts';

const HASH = '$2b$10$3dhAvBeEwNwOVDHSFVj8/Ow1WvMDJUwaIGGktAnAwB8/RIqyE/UKy';
const exempt = {
  exemptNetworks: ['private_ranges', '203.0.113.7'],
  exemptPaths: ['/feed', '/api/*', '/ä/*', '/'],
};
const signIn = { ...exempt, exemptCertificates: clientCertificate.example.authority };
const networks = ['private_ranges', '203.0.113.7', '2001:db8::/32', '10.1.2.3/8'];

/** Every field of each. */
export const FULL: Record<string, Values> = {
  'basic-auth': {
    users: [
      { name: 'Ada "L" \\', hash: HASH },
      { name: '#', hash: HASH },
    ],
    ...exempt,
  },
  allow: { networks, status: 404 },
  block: { networks, status: 410 },
  authelia: {
    address: 'https://auth.example',
    uri: '/api/verify?rd=https://a.example/',
    ...signIn,
  },
  authentik: { address: 'http://[::1]:9000', ...signIn },
  'forward-auth': {
    address: 'auth:80',
    uri: '/check',
    copyHeaders: ['X-Forwarded-User', 'x-auth-request-preferred-username', 'Remote-User'],
    ...signIn,
  },
  'client-certificate': {
    authority: `${clientCertificate.example.authority}\n${clientCertificate.example.authority}`,
    mode: 'request',
  },
  headers: {
    hsts: true,
    hstsSubdomains: true,
    hstsPreload: true,
    frame: 'deny',
    nosniff: true,
    referrer: 'no-referrer',
    contentSecurityPolicy: "default-src 'self'; img-src *",
    permissions: 'camera=(), fullscreen=("https://a.example")',
    noindex: true,
  },
  maintenance: { text: '<p>@ {x} `', retryAfter: 60, exemptNetworks: networks },
  robots: { names: ['GPTBot/1.0 (+x)', 'a.b_c-d'], status: 404 },
  proxy: { address: 'http://a.example', compress: false, maxUpload: '2GB' },
  redirect: { to: 'https://a.example:8443/b/?c=d', keepPath: false, permanent: true },
  'https-upstream': { address: '[::1]:8006', verify: true, ownHost: true },
  paths: {
    routes: [
      { path: '/api/*', address: 'a:1', strip: true },
      { path: '/b', address: 'https://b', strip: false },
    ],
    address: 'c:1',
  },
  balance: {
    addresses: ['a:1', 'b:1'],
    choice: 'cookie',
    healthPath: '/health?full=1',
    healthInterval: 5,
  },
  static: { root: '/srv/my "www"', fallback: '/index.html', browse: true, compress: false },
  'unknown-hosts': {
    everywhere: true,
    wildcards: ['*.home.example', '*.b.home.example'],
    status: 410,
    text: '<h1>{host}</h1>\nis "unknown"',
    abort: false,
  },
  'error-page': { address: 'a:1', text: '<style>a { b: c }</style>\n<h1>Back soon</h1>' },
};
