/** lego's errors, as people read them: in the authority's or provider's words, and without a credential. */
import { describe, expect, test } from 'bun:test';
import { createMask } from '../../../../src/features/certificates/lego/mask.ts';
import { failureOf } from '../../../../src/features/certificates/lego/words.ts';

const AT = '2026/11/23 11:42:51';
const START = `${AT} Saved key to /data/lego/accounts/a/keys/a.key
${AT} The flag 'dns.disable-cp' is deprecated use 'dns.propagation-disable-ans' instead.
${AT} [INFO] acme: Registering account for a@home.example\n`;
const END = 'Could not obtain certificates:\n\terror: one or more domains had a problem:';

const failure = (output: string, credentials: Record<string, string> = {}) =>
  failureOf({ output, mask: createMask(credentials) });

/** As lego 4.9.1 and 4.35.2 print them. */
test.each([
  [
    'an authority that cannot be reached',
    `${AT} Could not create client: get directory at 'https://127.0.0.1:9/dir': Get "https://127.0.0.1:9/dir": dial tcp 127.0.0.1:9: connect: connection refused`,
    'The certificate authority cannot be reached.',
    'Get "https://127.0.0.1:9/dir": dial tcp 127.0.0.1:9: connect: connection refused',
  ],
  [
    'two names with a wrong TSIG',
    `${AT} ${END}\n[*.home.example] [*.home.example] acme: error presenting token: rfc2136: failed to insert: DNS update failed: dns: bad authentication\n[home.example] [home.example] acme: error presenting token: rfc2136: failed to insert: DNS update failed: dns: bad authentication`,
    'The DNS provider refuses the record.',
    '*.home.example, home.example: rfc2136: failed to insert: DNS update failed: dns: bad authentication',
  ],
  [
    'a name outside of every zone',
    `${AT} ${END}\n[www.other.example] [www.other.example] acme: error presenting token: rfc2136: failed to insert: unexpected response code 'REFUSED' for _acme-challenge.www.other.example.`,
    'The DNS does not know the zone of a name.',
    "www.other.example: rfc2136: failed to insert: unexpected response code 'REFUSED' for _acme-challenge.www.other.example.",
  ],
  [
    'nameservers that cannot be asked',
    `${AT} ${END}\n[home.example] propagation: time limit exceeded: last error: authoritative nameservers: DNS call error: dial udp: lookup ns.home.example. on 10.0.0.1:53: no such host [ns=ns.home.example.:53]`,
    'The zone’s nameservers did not show the record in time.',
    'home.example: propagation: time limit exceeded: last error: authoritative nameservers: DNS call error: dial udp: lookup ns.home.example. on 10.0.0.1:53: no such host [ns=ns.home.example.:53]',
  ],
  [
    'a limit, with its date',
    `${AT} Could not obtain certificates:\n\tacme: error: 429 :: POST :: https://acme-v02.api.letsencrypt.org/acme/new-order :: urn:ietf:params:acme:error:rateLimited :: Error creating new order :: too many certificates (5) already issued for this exact set of domains in the last 168h: home.example: see https://letsencrypt.org/docs/duplicate-certificate-limit/, retry after 2026-11-25T01:02:03Z, url: `,
    'The certificate authority refuses: there were too many orders.',
    'Error creating new order :: too many certificates (5) already issued for this exact set of domains in the last 168h: home.example: see https://letsencrypt.org/docs/duplicate-certificate-limit/, retry after 2026-11-25T01:02:03Z',
  ],
  [
    'a record that the authority does not see',
    `${AT} ${END}\n[home.example] acme: error: 403 :: urn:ietf:params:acme:error:unauthorized :: No TXT record found at _acme-challenge.home.example, url: `,
    'The certificate authority did not find the record.',
    'home.example: No TXT record found at _acme-challenge.home.example',
  ],
  [
    'an address that the authority does not accept',
    `${AT} Could not complete registration\n\tacme: error: 400 :: POST :: https://acme.example/new-acct :: urn:ietf:params:acme:error:invalidContact :: contact email has invalid domain, url: `,
    'The certificate authority refuses.',
    'contact email has invalid domain',
  ],
  [
    'a crash',
    'panic: runtime error: index out of range',
    'lego could not get the certificate.',
    'panic: runtime error: index out of range',
  ],
])('%s', (_, output, message, detail) => {
  const lines = `${START}${output}\n`;
  expect(failure(lines)).toMatchObject({ code: 'CERTIFICATE_FAILED', message, detail });
});

test('a credential that is missing is a fault of the request', () => {
  const words =
    'cloudflare: some credentials information are missing: CLOUDFLARE_EMAIL,CLOUDFLARE_API_KEY';
  expect(failure(`${AT} ${words}\n`)).toMatchObject({
    code: 'INVALID_REQUEST',
    at: { field: 'dns.credentials' },
    detail: words,
  });
});

test('silence is said, not invented', () => {
  expect(failure('')).toMatchObject({
    message: 'lego could not get the certificate.',
    detail: undefined,
  });
});

test('a text without end is cut, and has no control characters', () => {
  const { detail = '' } = failure(`${AT} \x1b[31mno\x1b[0m\u202e\x07 ${'long '.repeat(1_000)}\n`);
  expect(detail).toStartWith('no long long');
  expect(detail.length).toBeLessThanOrEqual(500);
});

describe('a credential', () => {
  const TOKEN = "s3cr+t/'Tök&n=";
  const bytes = Buffer.from(TOKEN);
  test.each([
    ['as it is', TOKEN],
    ['in capitals', TOKEN.toUpperCase()],
    ['in a URL', encodeURIComponent(TOKEN)],
    ['in a URL by Go', 's3cr%2Bt%2F%27T%C3%B6k%26n%3D'],
    ['in a URL with small digits', encodeURIComponent(TOKEN).toLowerCase()],
    ['in Base64', bytes.toString('base64')],
    ['in Base64 for URLs', bytes.toString('base64url')],
    ['after a user in Base64', Buffer.from(`ada:${TOKEN}`).toString('base64')],
    ['before more in Base64', Buffer.from(`ab${TOKEN}:x`).toString('base64')],
    ['in hexadecimal digits', bytes.toString('hex')],
    ['in HTML', 's3cr+t/&#x27;Tök&amp;n='],
    ['with a character that cannot be seen in it', `${TOKEN.slice(0, 4)}\x00${TOKEN.slice(4)}`],
  ])('%s is masked', (_, printed) => {
    const { detail = '' } = failure(`${AT} request failed: key=${printed}; sorry\n`, {
      X_TOKEN: TOKEN,
    });
    expect(detail).toContain('***');
    expect(detail).toContain('request failed: key=');
    expect(detail).toContain('; sorry');
    for (const length of [8, 6]) expect(detail).not.toContain(printed.slice(1, 1 + length));
  });

  test('is masked in JSON, in a list, and if it is short', () => {
    const credentials = {
      GCE_SERVICE_ACCOUNT: '{"private_key":"MIIEvgIBADANBgkqhkiG","type":"x"}',
      HURRICANE_TOKENS: 'home.example:Ab12Cd34Ef56Gh78,b.example:Zz12Cd34Ef56Gh78',
      X_PIN: '42',
    };
    const { detail } = failure(
      `${AT} key MIIEvgIBADANBgkqhkiG, Zz12Cd34Ef56Gh78 bad, pin 42 of 1422\n`,
      credentials,
    );
    expect(detail).toBe('key ***, *** bad, pin *** of 1422');
  });

  test('an address or a number of seconds is not: the error would say nothing', () => {
    const credentials = {
      RFC2136_NAMESERVER: '10.0.0.1:53',
      PDNS_API_URL: 'http://10.0.0.2:8081/',
      RFC2136_SEQUENCE_INTERVAL: '1',
    };
    const words = 'dial 10.0.0.1:53 and http://10.0.0.2:8081/: 1 refused';
    expect(failure(`${AT} ${words}\n`, credentials).detail).toBe(words);
    const withPassword = { HTTPREQ_ENDPOINT: 'http://ada:hush@10.0.0.2/' };
    expect(failure(`${AT} Post http://ada:hush@10.0.0.2/\n`, withPassword).detail).toBe('Post ***');
  });
});
