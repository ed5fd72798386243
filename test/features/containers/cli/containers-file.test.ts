// proof: hub
/** Labels of caddy-docker-proxy and Traefik as a file for `signalbox apply`: what is not converted is a comment. */
import { describe, expect, test } from 'bun:test';
import { parse } from 'yaml';
import { readApplyFile } from '../../../../src/features/apply/cli/apply-file.ts';
import { applySchema } from '../../../../src/features/apply/schemas.ts';
import { containersFile } from '../../../../src/features/containers/cli/containers-file.ts';
import type { SeenContainer } from '../../../../src/features/containers/sites.ts';
import { siteForm } from '../../../../src/hub/caddyfile/site.ts';
import { checkConfig } from '../../../../src/shared/caddyfile/check.ts';
import fc from '../../../harness/generated.ts';
import { words } from '../../../harness/words.ts';

type Labels = Record<string, string>;
type Site = { config?: string; upstream?: string; enabled?: false; agents: string[] };

const port = (port: number) => ({ port, address: `127.0.0.1:1${port}`, published: true });
const container = (labels: Labels, more: Partial<SeenContainer> = {}): SeenContainer => ({
  agent: 'local',
  name: 'app',
  image: 'app',
  state: 'running',
  addresses: [],
  ports: [port(8080), port(8443)],
  host: null,
  unreached: null,
  labels,
  site: null,
  reason: null,
  ...more,
});
const read = (...containers: SeenContainer[]) => {
  const text = containersFile(containers);
  const { sites } = readApplyFile(new TextEncoder().encode(text), applySchema());
  return { text, sites: sites as Record<string, Site> };
};
const schema = applySchema();
const router = (rule: string, more: Labels = {}): Labels => ({
  'traefik.enable': 'true',
  'traefik.http.routers.a.rule': rule,
  ...Object.fromEntries(
    Object.entries(more).map(([name, value]) => [`traefik.http.${name}`, value]),
  ),
});
const HOST = 'Host(`a.example`)';
const PROXY = { 'caddy.reverse_proxy': '{{upstreams 8080}}' };
const SITE = { caddy: 'a.example', ...PROXY };
const respond = (text: string): Labels => ({ caddy: 'a.example', 'caddy.respond': text });

describe('makes no site, and says why:', () => {
  const noLine = 'is no line of a Caddyfile';
  const rows: [string, Labels, string, Partial<SeenContainer>?][] = [
    ['an unknown template', respond('{{.Name}}'), 'caddy.respond: The template \\"{{.Name}}\\"'],
    ['a template without an end', respond('{{upstreams'), 'has no end'],
    ['a template for the domain', { caddy: '{{.Name}}.example', ...PROXY }, 'caddy: The template'],
    [
      'a port that is not reached',
      { caddy: 'a.example', 'caddy.reverse_proxy': '{{upstreams 9}}' },
      'does not reach port 9',
    ],
    ['no directive', { caddy: 'a.example' }, 'nothing but its domain'],
    ['no domain', { caddy: ':8080', ...PROXY }, '\\":8080\\" is not a domain'],
    ['a domain of JavaScript', { caddy: '__proto__', ...PROXY }, 'is not a domain'],
    ['a brace', respond('a }'), noLine],
    ['a brace in quotes', respond('"{"'), noLine],
    ['an open quote', respond('"a'), noLine],
    ['a heredoc', respond('<<END\na\nEND'), noLine],
    ['our own word', respond('{upstream}'), noLine],
    ['a directive with a space', { caddy: 'a.example', 'caddy.a b': 'c' }, noLine],
    ['an empty directive', { caddy: 'a.example', 'caddy..a': 'c' }, 'A part of its name is empty'],
    ['blocks too deep', { caddy: 'a.example', [`caddy${'.a'.repeat(30_000)}`]: '' }, 'too deep'],
    [
      'a block that is another site',
      { caddy: 'a.example', 'caddy.a\\.example.respond': 'x' },
      'looks like several sites',
    ],
    ['a path', router('Host(`a.example`) && PathPrefix(`/b`)'), 'Only Host(…)'],
    ['what is not the host', router('!Host(`a.example`)'), 'Only Host(…)'],
    ['a pattern', router('HostRegexp(`.+`)'), 'Only Host(…)'],
    ['another kind after one host', router('Host(`a.example`) || Path(`/b`)'), 'Only Host(…)'],
    ['a wildcard of Traefik', router('Host(`*.a.example`)'), 'not the name of a single host'],
    ['no rule', { 'traefik.enable': 'true' }, 'default rule'],
    ['a router without a rule', router('', { 'routers.b.service': 'x' }), 'It has no rule'],
    ['it is off', { ...router(HOST), 'Traefik.Enable': 'False' }, 'traefik.enable: it is off'],
    [
      'two services',
      router(HOST, {
        'services.a.loadbalancer.server.port': '1',
        'services.b.loadbalancer.server.port': '2',
      }),
      'which of the services',
    ],
    [
      'a service of others',
      router(HOST, { 'routers.a.service': 'api@internal' }),
      'is not in the labels',
    ],
    ['a URL', router(HOST, { 'services.a.loadbalancer.server.url': 'http://x' }), 'is at a URL'],
    [
      'an unknown scheme',
      router(HOST, { 'services.a.loadbalancer.server.scheme': 'fcgi' }),
      'scheme \\"fcgi\\"',
    ],
    ['no port', router(HOST), 'It has no port', { ports: [] }],
    [
      'TCP',
      { 'traefik.tcp.routers.a.rule': 'HostSNI(`*`)' },
      'traefik.tcp.routers.a.rule: not taken over',
    ],
    ['it does not run', SITE, 'exited, not running', { state: 'exited' }],
    [
      'labels of ours',
      { caddy: 'a.example', ...PROXY, 'signalbox.domain': 'a.example' },
      'has labels of signalbox',
    ],
  ];
  for (const [what, labels, words, more] of rows) {
    test(what, () => {
      const { text, sites } = read(container(labels, more));
      expect(sites).toEqual({});
      expect(text).toContain(words.replaceAll('\\"', '"'));
    });
  }
});

test('containers without such labels, and labels that only look like them, are not named', () => {
  const others = { caddy_ingress_network: 'x', caddyfile: 'y', 'org.label': 'z', traefik: 'no' };
  expect(read(container(others)).text).not.toContain('app on local');
});

describe('is off until somebody has looked at it:', () => {
  const also = (labels: Labels) => container(labels, { name: 'other' });
  const rows: [string, SeenContainer[], string][] = [
    [
      'a middleware that shuts out',
      [
        container(
          router(HOST, {
            'routers.a.middlewares': 'm',
            'middlewares.m.basicauth.users': 'ada:$apr1$x',
          }),
        ),
      ],
      'its users are hashes',
    ],
    [
      'one that another container has',
      [
        container(router(HOST, { 'routers.a.middlewares': 'm@docker' })),
        also({ 'traefik.http.middlewares.M.ForwardAuth.address': 'x' }),
      ],
      'make a policy forward-auth',
    ],
    [
      'one that is in no label',
      [container(router(HOST, { 'routers.a.middlewares': 'm@file' }))],
      'm@file (unknown)',
    ],
    [
      'TLS options',
      [container(router(HOST, { 'routers.a.tls.options': 'mtls@file' }))],
      'tls.options',
    ],
    [
      'a router for a path of it',
      [container(router(HOST, { 'routers.b.rule': 'Host(`A.example`) && Path(`/b`)' }))],
      'of app, were not converted',
    ],
    [
      'other labels for it that are at fault',
      [container(SITE), also(respond('{{.Name}}'))],
      'of other, were not converted',
    ],
    [
      'other labels for it',
      [
        container(SITE),
        also({ caddy: 'http://x.example, a.example', 'caddy.basic_auth.ada': 'x' }),
      ],
      'a.example: app has it already',
    ],
  ];
  test.each(rows)('%s', (_, containers, words) => {
    const { text, sites } = read(...containers);
    expect(sites['a.example']).toMatchObject({ enabled: false });
    expect(text).toContain(words);
    expect(text).not.toContain('$apr1$x');
  });
});

describe('caddy-docker-proxy:', () => {
  const one = (labels: Labels, more: Partial<SeenContainer> = {}) =>
    read(container({ caddy: 'a.example', ...labels }, more)).sites['a.example'];
  test.each([
    ['{{upstreams 8080}}', '127.0.0.1:18080'],
    ['{{ upstreams http 8080 }}', '127.0.0.1:18080'],
    ['{{upstreams https 8443}}', 'https://127.0.0.1:18443'],
    ['{{upstreams 8443 https}}', 'https://127.0.0.1:18443'],
    ['{{upstreams h2c 8080}}', 'h2c://127.0.0.1:18080'],
  ])('%s is an upstream', (value, upstream) => {
    expect(one({ 'caddy.reverse_proxy': value })).toEqual({ upstream, agents: ['local'] });
  });
  test.each([
    ['{{upstreams}}', '172.17.0.2:80'],
    ['{{upstreams https}}', 'https://172.17.0.2:443'],
    ['{{upstreams 3000}}', '172.17.0.2:3000'],
  ])('%s is a port that no list has, if the host is reached', (value, upstream) => {
    expect(one({ 'caddy.reverse_proxy': value }, { host: '172.17.0.2' })?.upstream).toBe(upstream);
  });

  test('directives are in its order: numbers first, and then the alphabet', () => {
    const labels = {
      'caddy.encode': 'gzip',
      'caddy.@old.path': '/a /b',
      'caddy.2_redir': '@old /c',
      'caddy.10_handle_path': '/x/*',
      'caddy.10_handle_path.1_reverse_proxy': '{{upstreams https 8443}}',
      'caddy.10_handle_path.0_rewrite': '* /target{uri}',
      'caddy.header_1.X-A': '"a b"',
      'caddy.header_0.X\\.B': '`b\n c`',
      'caddy.reverse_proxy': '/api/* {{upstreams 8080}}',
      'caddy.templates': '{{""}}',
    };
    expect(one(labels)?.config).toBe(`redir @old /c
handle_path /x/* {
	rewrite * /target{uri}
	reverse_proxy {upstream}
}
@old {
	path /a /b
}
encode gzip
header {
	X-A "a b"
}
header {
	X.B \`b
 c\`
}
reverse_proxy /api/* 127.0.0.1:18080
templates`);
    expect(one(labels)?.upstream).toBe('https://127.0.0.1:18443');
  });

  test('several domains are a block, and several sites are several', () => {
    const { sites } = read(
      container({
        caddy: 'a.example, http://b.example:8080',
        ...PROXY,
        caddy_1: 'C.example',
        'caddy_1.respond': 'c',
      }),
    );
    expect(sites['a.example']?.config).toBe(
      'a.example, http://b.example:8080 {\n\treverse_proxy {upstream}\n}',
    );
    expect(sites['c.example']).toEqual({ config: 'respond c', agents: ['local'] });
  });

  test('options and snippets are shown for the preamble', () => {
    const { text, sites } = read(
      container({ 'caddy.email': 'me@a.example', caddy_0: '(zip)', 'caddy_0.encode': 'gzip' }),
    );
    expect(sites).toEqual({});
    expect(text).toContain('#   {\n#     email me@a.example\n#   }\n');
    expect(text).toContain('#   (zip) {\n#     encode gzip\n#   }\n');
  });

  test('a second container with the same labels is named with its address', () => {
    const again = { name: 'again', ports: [{ ...port(8080), address: '127.0.0.1:9' }] };
    const { text, sites } = read(container(SITE), container(SITE, again));
    expect(sites['a.example']?.enabled).toBeUndefined();
    expect(text).toContain('# again has the same labels: to use both, write 127.0.0.1:9 after');
  });
});

describe('Traefik:', () => {
  test.each([
    'Host(`a.example`)',
    ' ( host(`A.example`) ) ',
    'Host("a.example")',
    'Host(`a.example`) || Host(`a.example`)',
  ])('%s is one domain', (rule) => {
    expect(read(container(router(rule))).sites).toEqual({
      'a.example': { upstream: '127.0.0.1:18080', agents: ['local'] },
    });
  });
  test.each(['Host(`a.example`, `b.example`)', '(Host(`a.example`) || (Host(`b.example`)))'])(
    '%s is two domains',
    (rule) => {
      const { sites } = read(container(router(rule)));
      expect(sites['a.example']?.config).toBe(
        'a.example, b.example {\n\treverse_proxy {upstream}\n}',
      );
    },
  );

  test('routers have the port and scheme of their services', () => {
    const { sites } = read(
      container({
        ...router(HOST, {
          'routers.a.service': 'x@docker',
          'routers.b.rule': 'Host(`b.example`)',
          'routers.b.service': 'Y',
          'services.x.loadbalancer.server.port': '8080',
          'services.y.loadbalancer.server.port': '8443',
          'Services.Y.LoadBalancer.Server.Scheme': 'https',
        }),
      }),
    );
    expect([sites['a.example']?.upstream, sites['b.example']?.upstream]).toEqual([
      '127.0.0.1:18080',
      'https://127.0.0.1:18443',
    ]);
  });

  test('routers for HTTP and HTTPS are one site, which says what Caddy does by itself', () => {
    const { text, sites } = read(
      container(
        router(HOST, {
          'routers.a.entrypoints': 'web',
          'routers.a.middlewares': 'tls',
          'middlewares.tls.redirectscheme.scheme': 'https',
          'routers.s.tls': 'true',
          'routers.s.rule': 'Host(`a.example`)',
          'routers.s.entrypoints': 'websecure',
        }),
      ),
    );
    expect(sites).toEqual({ 'a.example': { upstream: '127.0.0.1:18080', agents: ['local'] } });
    expect(text).toContain('it only redirects to HTTPS, as Caddy does by itself.');
    expect(text).toContain('routers.s.tls, traefik.http.routers.s.entrypoints: not taken over.');
  });
});

test('labels, hostile ones too, stay within their comment or their site', () => {
  const nasty = fc.constantFrom(
    ...words(`
      # { } " << {{ }} {upstream} {$A} *x &x !!str %YAML ' , | > a.example || ) (zip) __proto__ .
      é
    `),
    '\n',
    '\r',
    '\t',
    '\0',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\uffff',
    '\ud800',
    ' ',
    ': ',
    '`',
    '\\',
    '{{upstreams 8080}}',
    '\nsites:\n  evil.example: {}',
    '\n  evil.example:\n    config: x',
    '}\nevil.example {\n',
    '---\n',
    '...\n',
    '- ',
    '<<: *x',
    'Host(`a.example`)',
    '😀',
  );
  const text = fc.array(fc.oneof(nasty, fc.string({ maxLength: 5 })), { maxLength: 8 });
  const any = text.map((parts) => parts.join(''));
  const label = fc.oneof(
    fc.constantFrom('caddy', 'caddy_1', 'caddy.reverse_proxy', 'caddy.1_handle', 'caddy.header.X'),
    ...[
      'routers.a.rule',
      'routers.a.middlewares',
      'routers.b.rule',
      'services.a.loadbalancer.x',
    ].map((one) => fc.constant(`traefik.http.${one}`)),
    any.map((one) => `caddy.${one}`),
    any.map((one) => `traefik.${one}`),
    any.map((one) => `traefik.http.routers.${one}`),
  );
  const value = fc.oneof(
    any,
    any.map((one) => `b.example, ${one}`),
    any.map((one) => `{{upstreams 8080}} ${one}`),
    any.map((one) => `Host(\`c.example\`) || Host(\`${one}\`)`),
  );
  const labels = fc.dictionary(label, value, { minKeys: 1, maxKeys: 6, noNullPrototype: true });
  const base = fc.constantFrom<Labels>({}, { caddy: 'a.example' }, router(HOST));
  let made = 0;
  fc.assert(
    fc.property(fc.array(labels, { minLength: 1, maxLength: 3 }), any, base, (all, name, more) => {
      const written = containersFile(all.map((one) => container({ ...more, ...one }, { name })));
      expect(written).not.toMatch(/(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\ufeff\ufffe\uffff]/u);
      const bytes = new TextEncoder().encode(written);
      const { sites } = readApplyFile(bytes, schema) as { sites: Record<string, Site> };
      expect(parse(written)).toEqual({ sites });
      for (const [domain, { config = 'respond', ...site }] of Object.entries(sites)) {
        made++;
        expect(domain).not.toContain('evil');
        expect(site.agents).toEqual(['local']);
        const fault = checkConfig(config, siteForm(domain, config).form, { snippets: new Set() });
        expect(fault?.message ?? '{$').toMatch(/\{\$|import/);
      }
    }),
    { numRuns: 5_000, endOnFailure: true },
  );
  expect(made).toBeGreaterThan(500);
});

describe('what may have been guarded is off:', () => {
  const entry = (entries: string) => ({ 'routers.a.entrypoints': entries });
  const headers = (field: string) => ({
    'routers.a.middlewares': 'h@docker',
    [`middlewares.h.headers.${field}`]: 'x',
  });
  test.each<[string, Labels, boolean]>([
    ['an entry point of its own', entry('internal'), false],
    ['several of its own', entry('lan-secure, Tailscale'), false],
    ['one that only begins like a public one', entry('websecure-lan'), false],
    ['a public one', entry('websecure'), true],
    ['both public ones, in other letters', entry('Web,WebSecure'), true],
    ['a public one beside one of its own', entry('internal,websecure'), true],
    ['a header that requests lose', headers('customrequestheaders.Remote-User'), false],
    ['hosts that are allowed', headers('allowedhosts'), false],
    ['a header of answers', headers('customresponseheaders.X-A'), true],
    ['HSTS', headers('stsseconds'), true],
    ['where pages may come from', headers('accesscontrolallowmethods'), true],
  ])('%s', (_, more, isOn) => {
    const { text, sites } = read(container(router(HOST, more)));
    expect(sites['a.example']?.enabled).toBe(isOn ? undefined : false);
    if (!isOn) expect(text).toContain('It is off: its ');
  });

  test('one host of two containers, of which one was on an entry point of its own', () => {
    const [one, two] = ['websecure', 'internal'].map((entries, at) =>
      container(router(HOST, entry(entries)), { name: `app${at}` }),
    ) as [SeenContainer, SeenContainer];
    for (const order of [
      [one, two],
      [two, one],
    ])
      expect(read(...order).sites['a.example']?.enabled).toBe(false);
  });

  test('a router that redirects takes no domain from the one that answers', () => {
    const labels = {
      ...router(HOST, {
        ...entry('web'),
        'routers.a.middlewares': 'to-https',
        'middlewares.to-https.redirectscheme.scheme': 'https',
        'routers.b.rule': 'Host(`a.example`) || Host(`b.example`)',
        'routers.b.entrypoints': 'websecure',
      }),
    };
    const { sites } = read(container(labels));
    expect(Object.keys(sites)).toEqual(['a.example']);
    expect(sites['a.example']?.enabled).toBeUndefined();
    expect(sites['a.example']?.config).toContain('a.example, b.example {');
  });
});

describe('containers that share a domain by caddy-docker-proxy', () => {
  const path = (name: string, port: number, more: Partial<SeenContainer> = {}) =>
    container(
      {
        caddy: 'a.example',
        'caddy.handle_path': `/${name}*`,
        'caddy.handle_path.0_reverse_proxy': `{{upstreams ${port}}}`,
      },
      { name, ...more },
    );

  test('are one site with the lines of both', () => {
    const { text, sites } = read(path('one', 8080), path('two', 8443));
    expect(sites['a.example']).toEqual({
      upstream: '127.0.0.1:18080',
      config:
        'handle_path /one* {\n\treverse_proxy {upstream}\n}\nhandle_path /two* {\n\treverse_proxy 127.0.0.1:18443\n}',
      agents: ['local'],
    });
    expect(text).toContain('with the labels of two');
  });

  test('stay apart, and off, where only one of their lines would count, or on another agent', () => {
    const same = container(
      { caddy: 'a.example', 'caddy.handle_path': '/one*', 'caddy.handle_path.respond': 'x' },
      { name: 'same' },
    );
    for (const other of [same, path('two', 8443, { agent: 'vps' })]) {
      const { text, sites } = read(path('one', 8080), other);
      expect(sites['a.example']?.enabled).toBe(false);
      expect(text).toContain('one has it already.');
    }
  });
});
