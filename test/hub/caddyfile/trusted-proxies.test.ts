/** Which proxies in front of Caddy a preamble trusts: read from its text, and written into it. */
import { describe, expect, test } from 'bun:test';
import { CLOUDFLARE } from '../../../src/hub/caddyfile/cloudflare.ts';
import { render } from '../../../src/hub/caddyfile/render.ts';
import {
  faultOfProxy,
  faultOfTrusting,
  trustedIn,
  withTrusted,
} from '../../../src/hub/caddyfile/trusted-proxies.ts';
import { comparable } from '../../../src/hub/recipes/networks.ts';

describe('a proxy is not trusted', () => {
  test.each([
    '',
    'everybody',
    'Cloudflare',
    '0.0.0.0/0',
    '0.0.0.0/1',
    '128.0.0.0/7',
    '::/0',
    '2000::/3',
    '::ffff:0:0/96',
    '10.0.0.1 0.0.0.0/0',
    '10.0.0.1\n0.0.0.0/0',
    '10.0.0.0/33',
    'fe80::1%eth0',
    '{$TRUSTED}',
    '}',
  ])('as %j', (name) => expect(faultOfProxy(name)).toStartWith('must be '));

  test.each(['cloudflare', 'private_ranges', '10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '::1'])(
    'unless it is one, such as %s',
    (name) => expect(faultOfProxy(name)).toBeNull(),
  );
});

describe('a text that says it in another way', () => {
  test.each([
    ['for one address', '{\n\tservers :443 {\n\t\tprotocols h1\n\t}\n}'],
    ['twice', '{\n\tservers {\n\t\ttrace\n\t}\n\tservers :80 {\n\t\ttrace\n\t}\n}'],
    [
      'by a module',
      '{\n\tservers {\n\t\ttrusted_proxies cloudflare {\n\t\t\tinterval 1h\n\t\t}\n\t}\n}',
    ],
    ['by a header', '{\n\tservers {\n\t\tclient_ip_headers X-Real-IP\n\t}\n}'],
    ['in a heredoc', '{\n\temail <<A\n\t} x\n\tA\n\tservers {\n\t\ttrace\n\t}\n}'],
  ])('%s is left to people', (_, preamble) => {
    expect(faultOfTrusting(preamble)).toEndWith('.');
    expect(trustedIn(preamble)).toBeNull();
  });
});

const LIST = ['cloudflare', '10.0.0.0/8'];
const BLOCK =
  'servers {\n\t\ttrusted_proxies_strict\n\t\ttrusted_proxies static cloudflare 10.0.0.0/8\n\t}';
const SNIPPET = '(x) {\n\treverse_proxy a:1 {\n\t\ttrusted_proxies private_ranges\n\t}\n}\n';

describe('written into', () => {
  test.each([
    ['nothing', '', `{\n\t${BLOCK}\n}\n`],
    ['snippets', SNIPPET, `{\n\t${BLOCK}\n}\n\n${SNIPPET}`],
    ['options', '{\n\temail a@b.c\n}\n', `{\n\t${BLOCK}\n\temail a@b.c\n}\n`],
    ['an option beside the brace', '{ email a@b.c\n}\n', `{\n\t${BLOCK}\n email a@b.c\n}\n`],
    ['an empty block', '{\n\t# later\n}\n', `{\n\t${BLOCK}\n\t# later\n}\n`],
    ['after a comment', '# mine {\n{\n\tdebug\n}\n', `# mine {\n{\n\t${BLOCK}\n\tdebug\n}\n`],
  ])('%s, and taken out again', (_, preamble, expected) => {
    expect(faultOfTrusting(preamble)).toBeNull();
    const written = withTrusted(preamble, LIST);
    expect(written).toBe(expected);
    expect(trustedIn(written)).toEqual(LIST);
    expect(withTrusted(written, LIST)).toBe(written);
    const bare = withTrusted(written, null);
    expect(trustedIn(bare)).toBeNull();
    if (!/^\{ |# later/.test(preamble)) expect(bare).toBe(preamble);
  });

  test('a block of servers that has other options, which stay', () => {
    const preamble = '{\n\tservers {\n\t\tprotocols h1 h2\n\t\ttrusted_proxies_unix\n\t}\n}\n';
    const written = withTrusted(preamble, ['::1']);
    expect(written).toContain('\t\tprotocols h1 h2\n\t\ttrusted_proxies_unix\n');
    expect(trustedIn(written)).toEqual(['::1']);
    expect(withTrusted(written, ['10.0.0.1'])).toBe(withTrusted(preamble, ['10.0.0.1']));
    expect(withTrusted(written, null)).toBe(preamble);
  });

  test('addresses as Caddy compares them', () =>
    expect(trustedIn(withTrusted('', ['::ffff:10.0.0.1']))).toEqual(['10.0.0.1']));
});

describe('rendered', () => {
  test('Cloudflare is its networks, and every line has its number', () => {
    const preamble = withTrusted(`{\n\temail cloudflare@b.c\n}\n${SNIPPET}`, LIST);
    const { text } = render(preamble, []);
    expect(text).toContain(`trusted_proxies static ${CLOUDFLARE.join(' ')} 10.0.0.0/8\n`);
    expect(text).toContain('email cloudflare@b.c\n');
    const plain = render(preamble.replace(' cloudflare ', ' '), []).text;
    expect(text.split('\n').length).toBe(plain.split('\n').length);
  });

  test('also in a block for one address', () => {
    const { text } = render(
      '{\n\tservers :443 {\n\t\ttrusted_proxies static cloudflare\n\t}\n}',
      [],
    );
    expect(text).toContain(CLOUDFLARE[0] as string);
  });

  test('a module of that name stays', () => {
    const module = '{\n\tservers {\n\t\ttrusted_proxies cloudflare\n\t}\n}';
    expect(render(module, []).text).toContain(module);
  });

  test('each network is one that Caddy compares, once', () => {
    expect(CLOUDFLARE.filter((one) => comparable(one) !== one || faultOfProxy(one))).toEqual([]);
    expect(new Set(CLOUDFLARE).size).toBe(CLOUDFLARE.length);
  });
});
