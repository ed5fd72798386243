/** What Caddy accepts and can hardly be meant is a warning, and nothing that is often meant is. */
import { expect, test } from 'bun:test';
import { doubtsOf } from '../../../src/hub/model/doubts.ts';

const codes = (
  config: string,
  more: { domain?: string; upstream?: string } = {},
  version = '2.11.4',
  environment: readonly string[] | null = null,
) =>
  doubtsOf(
    { domain: 'http://a.example', upstream: '', ...more, config },
    { ports: { http: 8080, https: 8443 }, version, environment, unwritable: [] },
  ).map(({ code }) => code);

test.each<[string, string]>([
  ['redir http://{host}{uri}', 'REDIRECTS_TO_ITSELF'],
  ['redir * {scheme}://{hostport}{uri} permanent', 'REDIRECTS_TO_ITSELF'],
  ['redir {uri}', 'REDIRECTS_TO_ITSELF'],
  ['http://a.example, http://b.example {\n\tredir http://a.example{uri}\n}', 'REDIRECTS_TO_ITSELF'],
  ['reverse_proxy localhost:8080', 'UPSTREAM_IS_PROXY'],
  ['reverse_proxy {\n\tto 10.0.0.1:80 https://127.0.0.1:8443\n}', 'UPSTREAM_IS_PROXY'],
  ['basicauth {\n\tbob $$2a$$14$$Zkx19X\n}', 'HASH_UNUSABLE'],
  ['route {\n\tbasic_auth {\n\t\tbob $apr1$x$y\n\t}\n}', 'HASH_UNUSABLE'],
  ['header {\n\theader_up Host x\n}', 'HEADER_MISPLACED'],
])('%s', (config, code) => {
  expect(codes(config)).toEqual([code]);
});

test.each<[string, { domain?: string; upstream?: string }]>([
  ['redir https://{host}{uri}', {}],
  ['redir http://b.example{uri}', {}],
  ['redir /old http://{host}{uri}', {}],
  ['redir @a http://{host}{uri}', {}],
  ['@a not host a.example\nhandle @a {\n\tredir http://{host}{uri}\n}', {}],
  ['redir http://{host}/new', {}],
  ['redir http://{host}{uri}', { domain: 'a.example' }],
  ['reverse_proxy 127.0.0.1:8081', {}],
  ['reverse_proxy 10.0.0.1:8080', {}],
  ['reverse_proxy localhost:8080 {\n\theader_up Host b.example\n}', {}],
  ['respond localhost:8080', {}],
  ['basic_auth {\n\tbob $2a$14$Zkx19XLiW6VYouLHR5Nmf\n}', {}],
  ['respond "$$2a$$14$$x"', {}],
  ['reverse_proxy a {\n\theader_up Host x\n}', {}],
  ['header header_up x', {}],
])('nothing about %s', (config, more) => {
  expect(codes(config, more)).toEqual([]);
});

test('an upstream in its field counts', () => {
  expect(codes('reverse_proxy {upstream}', { upstream: '127.0.0.1:8080' })).toEqual([
    'UPSTREAM_IS_PROXY',
  ]);
});

test.each(['{args[0]}', '{args[:]}', '{args[1:]}', '{client_ip}', '{block}', '{blocks.a}'])(
  '%s is a word that Caddy 2.6 leaves as it is written, and 2.11 does not',
  (word) => {
    const config = `@a expression \`"${word}" == "x"\`\nreverse_proxy @a ${word}`;
    expect(codes(config, {}, '2.6.2')).toEqual(['NEEDS_NEWER_CADDY']);
    expect(codes(config)).toEqual([]);
  },
);

test('{args.0} is a word of each Caddy', () => {
  expect(codes('reverse_proxy {args.0} {remote_host}', {}, '2.6.2')).toEqual([]);
});

test('variables that the environment lacks are named, once each, unless it is not known', () => {
  const config = [
    '# {$COMMENT}',
    'reverse_proxy {$NAS}:8096 {$NAS}:8097 {$PORT:80}',
    'header X "{$KNOWN} {$OTHER} {env.RUNTIME}"',
  ].join('\n');
  const site = { domain: 'http://a.{$NAME}', upstream: '', config };
  const messages = (environment: readonly string[] | null) =>
    doubtsOf(site, {
      ports: { http: 80, https: 443 },
      version: '2.11.4',
      environment,
      unwritable: [],
    });
  expect(messages(null)).toEqual([]);
  expect(messages(['NAS', 'OTHER', 'KNOWN', 'NAME'])).toEqual([]);
  const [one, ...others] = messages(['KNOWN']);
  expect([one?.code, others]).toEqual(['VARIABLE_NOT_SET', []]);
  expect(one?.message).toStartWith('`{$NAME}`, `{$NAS}`, `{$OTHER}` are not set');
  expect(one?.message).toContain('PROXY_ENV_FILE');
});
