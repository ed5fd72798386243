/** Refusals say how to fix what they refuse, on whichever Caddy runs. */
import { describe, expect, test } from 'bun:test';
import { caddyIs } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';
import { type Body, startOwner } from '../../../harness/owner.ts';

type Refused = Body & { message: string; hint?: string };

const create = (config: string, more: object = {}) =>
  owner.call<Refused>('POST', '/vhosts', { domain: 'http://hint.example', config, ...more });

const owner = await forFile(startOwner());
const config = '(authn) {\n\theader X y\n}\n(common) {\n\theader Y z\n}';
const { body } = await owner.call('GET', '/preamble');
await owner.call('PUT', '/preamble', { config: `${body.config}\n${config}` });
describe('a refusal', () => {
  test.each([
    ['an unknown directive', 'redirect /x /y', 'Did you mean `redir`?'],
    [
      'a word of Caddy 1',
      'proxy 127.0.0.1:1',
      'a word of Caddy 1, which Caddy 2 does not read: write `reverse_proxy`',
    ],
    ['a block of nginx', 'location / {\n\tproxy_pass http://a;\n}', 'a word of nginx'],
    ['a directive of nginx', 'proxy_pass http://127.0.0.1:1', 'write `reverse_proxy`'],
    ['a misspelt block', 'handel /x {\n\trespond x\n}', 'Did you mean `handle`?'],
    ['a plugin’s block', 'rate_limit {\n\tzone a\n}', 'is a plugin'],
    ['a block that nobody knows', 'zzzqqq {\n\ta\n}', 'If a plugin has it'],
    ['a block on one line', 'reverse_proxy a:1 { header_up A b }', 'on a line of its own'],
    ['a nested directive', 'handle {\n\tresponde x\n}', 'Did you mean `respond`?'],
    ['an unknown matcher', '@a paths /x\nrespond @a x', 'Did you mean `path`?'],
    [
      'an unknown policy',
      'reverse_proxy 127.0.0.1:1 {\n\tlb_policy roundrobin\n}',
      'Did you mean `round_robin`?',
    ],
    [
      'a plugin’s directive',
      'rate_limit 5',
      '`caddy add-package github.com/mholt/caddy-ratelimit`',
    ],
    [
      'a DNS provider',
      'tls {\n\tdns cloudflare x\n}',
      '`caddy add-package github.com/caddy-dns/cloudflare`',
    ],
    ['a DNS provider that the hub has', 'tls {\n\tdns cloudflare x\n}', 'on the page Certificates'],
    [
      'an unknown module',
      'encode lzma',
      'built without the module http.encoders.lzma. If it belongs to a plugin',
    ],
    ['a URL with a slash', 'reverse_proxy http://127.0.0.1:8080/', 'Write http://127.0.0.1:8080. '],
    [
      'a URL with a path',
      'handle {\n\treverse_proxy http://127.0.0.1:8080/app\n}',
      'use `rewrite` or `handle_path`',
    ],
    [
      'a renamed snippet',
      'import auth',
      'Did you mean authn? The preamble defines: authn, common.',
    ],
    ['a snippet unlike any', 'import nothing', 'The preamble defines: authn, common.'],
  ])('of %s says how to fix it, also in a preview', async (_, config, hint) => {
    const { status, body } = await create(config);
    expect([status, body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(body.hint).toContain(hint);
    const operation = { op: 'create', domain: 'http://hint.example', config };
    const preview = await owner.call<Refused>('POST', '/preview', operation);
    expect(preview.body).toMatchObject({ valid: false, hint: body.hint });
  });

  test('of a file that is imported still says that it is one, and names no snippet', async () => {
    const { body } = await create('import /etc/hostname');
    expect([body.detail, body.hint]).toEqual([
      'line 1: Only snippets that the preamble defines can be imported, not files.',
      undefined,
    ]);
  });

  test('of words that nothing resembles has no hint', async () => {
    const { body } = await create('zzzzzzzzzz');
    expect([body.detail, body.hint]).toEqual([
      'line 1: unrecognized directive: zzzzzzzzzz',
      undefined,
    ]);
  });

  test('names one of several operations and keeps the hint', async () => {
    const operations = [
      { op: 'create', domain: 'http://a.example', config: 'respond a' },
      { op: 'create', domain: 'http://b.example', config: 'redirect / /x' },
    ];
    const { body } = await owner.call<Refused>('POST', '/vhosts/bulk', { operations });
    expect([body.code, body.hint]).toEqual(['PROXY_REJECTED', 'Did you mean `redir`?']);
  });

  test('of an address that is not the domain says that the config is a block', async () => {
    const block = 'http://own.example {\n\trespond own\n}';
    const domain = 'http://own.example';
    const made = await owner.call('POST', '/vhosts', { domain, config: block });
    expect(made.status).toBe(201);
    const path = `/vhosts/${made.body.id}`;
    const { status, body } = await owner.call<Refused>('PUT', path, {
      domain: 'http://new.example',
    });
    expect([status, body.line]).toEqual([502, 1]);
    expect(body.hint).toStartWith(
      'This config is a whole site block for http://own.example, but the domain is http://new.example.',
    );
    expect((await owner.stack.served('own.example')).text).toBe('own');
  });

  test('names what the operator wrote, without the way to it', async () => {
    const { body } = await create('@a path_regexp [a\nrespond @a x');
    expect(body.detail).toStartWith('compiling matcher regexp [a: error parsing regexp');
  });
});

describe('a placeholder', () => {
  test.each([['{upsteam}'], ['{Upstream}'], ['{upstreams}'], ['{up_stream}']])(
    '%s is taken for a mistake, and nothing is published',
    async (word) => {
      const before = await owner.everything();
      const { status, body } = await create(`handle {\n\treverse_proxy ${word}\n}`, {
        upstream: '127.0.0.1:1',
      });
      expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
      expect(body).toMatchObject({ message: `There is no placeholder ${word}.`, line: 2 });
      expect(body.hint).toContain('Did you mean {upstream}');
      expect(await owner.everything()).toEqual(before);
    },
  );

  test('that the config sets, of another name, or in a comment is accepted', async () => {
    for (const config of [
      'map {path} {upsteam} {\n\tdefault 127.0.0.1:1\n}\nreverse_proxy {upsteam}',
      'respond "{host} {uri} {http.request.uri}"',
      '# not {upsteam}\nrespond x',
    ]) {
      const { status, body } = await create(config);
      expect([config, status]).toEqual([config, 201]);
      await owner.call('DELETE', `/vhosts/${body.id}`);
    }
  });

  test('that was restored keeps its site changeable', async () => {
    const saved = await owner.call<{ vhosts: object[] }>('GET', '/export');
    const old = { domain: 'http://old.example', config: 'reverse_proxy {upsteam}', upstream: '' };
    const vhosts = [...saved.body.vhosts, { ...old, enabled: true }];
    const restored = await owner.call('POST', '/restore?replace=true', { ...saved.body, vhosts });
    expect(restored.status).toBe(200);
    const list = (await owner.call<Body[]>('GET', '/vhosts')).body;
    const id = list.find(({ domain }) => domain === old.domain)?.id;
    expect((await owner.call('PATCH', `/vhosts/${id}/toggle`)).status).toBe(200);
    expect((await owner.call('PUT', `/vhosts/${id}`, { upstream: '127.0.0.1:1' })).status).toBe(
      200,
    );
    expect((await owner.call('DELETE', `/vhosts/${id}`)).status).toBe(200);
  });
});

test('the field for the upstream says how to write a pasted URL', async () => {
  for (const [upstream, hint] of [
    ['http://127.0.0.1:8080/', 'Write http://127.0.0.1:8080. Remove the path'],
    ['127.0.0.1:8080/app', 'Write 127.0.0.1:8080. Remove the path'],
    ['https://nas.lan/?x', 'Write https://nas.lan. Remove the path'],
    ['a b', undefined],
  ] as const) {
    const { status, body } = await create('reverse_proxy {upstream}', { upstream });
    expect(status).toBe(400);
    if (hint === undefined) expect(body.hint).toBeUndefined();
    else expect(body.hint).toStartWith(hint);
  }
});

describe('what another version of Caddy has', () => {
  const hash = '$2a$14$WNKKnGFcHm8Yt1mHcB9ZXu0PZxoXrkZJVvQrUpRzmhH6SX8kYFcA2';
  const user = `{\n\tada ${hash}\n}`;

  test.skipIf(caddyIs('>=2.8.0'))('is named with the version, and its former name', async () => {
    const auth = await create(`basic_auth ${user}`);
    expect(auth.body.hint).toBe(
      '`basic_auth` needs Caddy 2.8, and this is 2.6.2. Write `basicauth`, or install a newer Caddy from its own package source, as described in docs/deployment.md.',
    );
    for (const [config, since] of [
      ['log_append a b', '2.8'],
      ['invoke x', '2.7'],
      ['reverse_proxy 127.0.0.1:1 {\n\tstream_close_delay 5s\n}', '2.7'],
    ] as const) {
      expect((await create(config)).body.hint).toContain(`needs Caddy ${since}, and this is 2.6.2`);
    }
    const { body } = await owner.call('GET', '/preamble');
    for (const [option, since] of [
      ['servers {\n\ttrusted_proxies static private_ranges\n}', '2.6.3'],
      ['fallback_sni a.example', '2.7'],
    ] as const) {
      const config = body.config.replace('{\n', `{\n${option}\n`);
      const { hint } = (await owner.call<Refused>('PUT', '/preamble', { config })).body;
      expect(hint).toContain(`needs Caddy ${since}, and this is 2.6.2`);
    }
  });

  test.skipIf(caddyIs('>=2.11.6'))(
    'is named with the version, if it is a matcher or a new word',
    async () => {
      const matcher = await create('@a url_pattern /a/:id\nrespond @a x');
      expect(matcher.body.hint).toStartWith('`url_pattern` needs Caddy 2.11.6, and this is 2.');
      const timeouts = await create('timeouts {\n\tread_timeout 9s\n}');
      expect(timeouts.body.hint).toStartWith('`timeouts` needs Caddy 2.11.6, and this is 2.');
      const { body } = await owner.call('GET', '/preamble');
      for (const option of ['expected_dot_headers X.Y', 'timeouts {\nwrite_idle 9s\n}']) {
        const config = body.config.replace('{\n', `{\nservers {\n${option}\n}\n`);
        const { hint } = (await owner.call<Refused>('PUT', '/preamble', { config })).body;
        expect(hint).toContain('needs Caddy 2.11.6, and this is 2.');
      }
    },
  );

  test.skipIf(caddyIs('>=2.7.0'))('is named by what an older version calls it', async () => {
    const { body } = await create('@a client_ip 10.0.0.0/8\nrespond @a x');
    expect(body.hint).toStartWith(
      '`client_ip` needs Caddy 2.7, and this is 2.6.2. Write `remote_ip`, ',
    );
  });

  test.skipIf(caddyIs('<2.11.6'))(
    'is accepted by the newest, and what that no longer takes has a hint',
    async () => {
      for (const config of [
        '@a url_pattern /a/:id\nrespond @a "{http.url_pattern.pathname.id} {http.request.proto_name}"',
        'timeouts {\n\tread_timeout 9s\n\twrite_timeout 9s\n\tmax_write_chunk 9KiB\n}',
      ]) {
        const { status, body } = await create(config);
        expect([config, status]).toEqual([config, 201]);
        await owner.call('DELETE', `/vhosts/${body.id}`);
      }
      for (const [config, line, hint] of [
        ['log {\n\toutput stdout\n\toutput discard\n}', 3, 'Keep the last one'],
        ['request_body {\n\tread_timeout 9s\n}', 2, 'a separate directive, `timeouts`'],
        ['forward_auth :1 {\n\turi /\n\turi /\n}', 3, 'Keep the last one'],
        [
          'reverse_proxy :1 {\n\tlb_policy weighted_round_robin 0\n}',
          undefined,
          'a weight above 0',
        ],
      ] as const) {
        const { status, body } = await create(config);
        expect([config, status, body.line]).toEqual([config, 502, line]);
        expect(body.hint).toContain(hint);
      }
    },
  );

  test.skipIf(!caddyIs('>=2.8.0'))('is accepted there, under both names', async () => {
    for (const name of ['basic_auth', 'basicauth']) {
      const { status, body } = await create(`${name} ${user}`);
      expect([name, status]).toEqual([name, 201]);
      await owner.call('DELETE', `/vhosts/${body.id}`);
    }
  });

  test('a global option is guessed', async () => {
    const { body } = await owner.call('GET', '/preamble');
    const config = body.config.replace('{\n', '{\n\temial a@b.example\n');
    const refused = await owner.call<Refused>('PUT', '/preamble', { config });
    expect(refused.body.hint).toBe('Did you mean `email`?');
  });
});

test('a site that is gone is called a site', async () => {
  for (const id of ['9999', 'x']) {
    const { status, body } = await owner.call<Refused>('DELETE', `/vhosts/${id}`);
    expect([status, body.message]).toEqual([404, 'There is no such site.']);
  }
});
