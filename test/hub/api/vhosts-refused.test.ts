/** Changes of sites that are refused: nothing of them is left. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { allOf } from '../../harness/checked.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { type Answer, ask } from '../../harness/stack.ts';

type Vhost = { id: number; domain: string };
type Refusal = { code: string; message: string; detail?: string; line?: number; field?: string };

const owner = await forFile(startOwner());

const vhosts = <T = Vhost>(method: string, path = '', json?: unknown) =>
  owner.call<T>(method, `/vhosts${path}`, json);

async function create(domain: string, config = 'respond hi', more: object = {}): Promise<Vhost> {
  const answer = await vhosts('POST', '', { domain, config, ...more });
  if (answer.status !== 201) throw new Error(answer.text);
  known = null;
  return answer.body;
}

/** Everything that a refused change must not alter. */
const everything = () => allOf(owner, ['keep.example', 'other.example', 'new.example']);

/** As it was when it was last looked at; null after a change. */
let known: Awaited<ReturnType<typeof everything>> | null = null;

async function expectUnchanged(
  change: () => Promise<Answer<Refusal>>,
  status: number,
  code: string,
): Promise<Refusal> {
  const before = known ?? (await everything());
  const answer = await change();
  expect([answer.status, answer.body.code]).toEqual([status, code]);
  expect(answer.text).not.toContain(owner.stack.folder);
  known = await everything();
  expect(known).toEqual(before);
  return answer.body;
}

describe('an invalid request', () => {
  let kept: Vhost;
  beforeAll(async () => {
    kept = await create('http://keep.example', 'respond kept');
    await create('http://other.example', 'reverse_proxy {upstream}', { upstream: '127.0.0.1:9' });
  });

  const good = { domain: 'http://new.example', config: 'respond new' };
  test.each([
    ['no domain', { domain: undefined }],
    ['a blank domain', { domain: '  ' }],
    ['a domain that is not text', { domain: 7 }],
    ['no config', { config: undefined }],
    ['a blank config', { config: ' \n' }],
    ['a domain with a path', { domain: 'new.example/x' }],
    ['only a port', { domain: ':8080' }],
    ['only a scheme', { domain: 'http://' }],
    ['two domains', { domain: 'a.example, b.example' }],
    ['a brace in the domain', { domain: 'a.example {' }],
    ['a line break in the domain', { domain: 'a.example\nb.example' }],
    ['another scheme', { domain: 'ftp://new.example' }],
    ['an impossible port', { domain: 'new.example:65536' }],
    ['an invalid upstream', { upstream: 'not an upstream' }],
    ['an upstream with a path', { upstream: 'http://127.0.0.1/x' }],
    ['an upstream that breaks out of its block', { upstream: '127.0.0.1:1\n}\nevil.example {' }],
    ['{upstream} without an upstream', { config: 'reverse_proxy {upstream}' }],
    ['invalid punycode', { domain: 'xn--zzzzzz.example' }],
    ['a directive that reads files', { domain: 'import' }],
    ['a block of another scheme', { domain: 'ftp://x', config: 'ftp://x {\n}' }],
    ['a block on port 0', { domain: ':0', config: ':0 {\n}' }],
    ['a block that is a snippet', { domain: '{$X:(s)}', config: '{$X:(s)} {\n}' }],
    ['a config that is not valid Unicode', { config: 'respond \ud800' }],
    ['enabled as text', { enabled: 'yes' }],
    ['upstream as null', { upstream: null }],
  ])('%s is 400', async (_, fields) => {
    const json = { ...good, ...fields };
    const refusal = await expectUnchanged(() => vhosts('POST', '', json), 400, 'INVALID_REQUEST');
    const lacksUpstream = 'config' in fields && fields.config?.includes('{upstream}');
    const field = lacksUpstream ? 'upstream' : Object.keys(fields).at(-1);
    expect<string | undefined>(refusal.field).toBe(field);
  });

  test('a body that is not a JSON object is 400', async () => {
    for (const json of [[], null]) {
      await expectUnchanged(() => vhosts('POST', '', json), 400, 'INVALID_REQUEST');
    }
    const raw = (text: string) => () =>
      ask<Refusal>(`${owner.stack.hub}/vhosts`, {
        method: 'POST',
        raw: text,
        headers: owner.headers,
      });
    await expectUnchanged(raw('{"domain":'), 400, 'INVALID_JSON');
  });

  test('a body over 1 MiB is 413, declared or not', async () => {
    const raw = JSON.stringify({ ...good, config: 'x'.repeat(1024 * 1024) });
    const declared = () =>
      ask<Refusal>(`${owner.stack.hub}/vhosts`, { raw, headers: owner.headers });
    await expectUnchanged(declared, 413, 'BODY_TOO_LARGE');
    const chunked = await fetch(`${owner.stack.hub}/vhosts`, {
      method: 'POST',
      headers: owner.headers,
      body: new Blob([raw]).stream(),
    });
    expect([chunked.status, ((await chunked.json()) as Refusal).code]).toEqual([
      413,
      'BODY_TOO_LARGE',
    ]);
  });

  test('several changes whose response would exceed 16 MiB are 413', async () => {
    const config = `respond long\n# ${'x'.repeat(900_000)}`;
    const { id } = await create('http://long.example', config);
    const toggle = { op: 'toggle', id };
    const operations = Array.from({ length: 20 }, () => toggle);
    await expectUnchanged(() => vhosts('POST', '/bulk', { operations }), 413, 'BODY_TOO_LARGE');
    const fewer = [...operations.slice(0, 10), { op: 'delete', id }];
    expect((await vhosts('POST', '/bulk', { operations: fewer })).status).toBe(200);
    known = null;
  });

  test.each(['0', '-1', '1.5', 'x', '999', '1e3', '99999999999999999999'])(
    'the id %s is 404 on every route',
    async (id) => {
      for (const [method, path, json] of [
        ['GET', `/${id}`],
        ['PUT', `/${id}`, { config: 'respond x' }],
        ['DELETE', `/${id}`],
        ['PATCH', `/${id}/toggle`],
      ] as const) {
        await expectUnchanged(() => vhosts<Refusal>(method, path, json), 404, 'NOT_FOUND');
      }
    },
  );

  test('an id in a body is no text', async () => {
    const operations = [{ op: 'toggle', id: String(kept.id) }];
    await expectUnchanged(() => vhosts('POST', '/bulk', { operations }), 400, 'INVALID_REQUEST');
  });

  test('the same rules apply to updates', async () => {
    const put = (json: unknown) => () => vhosts<Refusal>('PUT', `/${kept.id}`, json);
    for (const json of [[], 'x', 7]) await expectUnchanged(put(json), 400, 'INVALID_REQUEST');
    for (const json of [{ domain: 'a b' }, { config: '' }, { upstream: 'x y' }, { enabled: 1 }]) {
      await expectUnchanged(put(json), 400, 'INVALID_REQUEST');
    }
    await expectUnchanged(put({ config: 'reverse_proxy {upstream}' }), 400, 'INVALID_REQUEST');
  });

  test('a domain that another vhost has is 409, however it is written', async () => {
    for (const domain of [
      'http://keep.example',
      'HTTP://Keep.Example',
      'http://keep.example.:80',
    ]) {
      const json = { ...good, domain };
      await expectUnchanged(() => vhosts('POST', '', json), 409, 'DOMAIN_TAKEN');
    }
    const umlaut = await create('http://bücher.example');
    expect(umlaut.domain).toBe('http://xn--bcher-kva.example');
    const same = { ...good, domain: 'http://XN--BCHER-KVA.example' };
    await expectUnchanged(() => vhosts('POST', '', same), 409, 'DOMAIN_TAKEN');
    const other = { domain: 'http://other.example' };
    await expectUnchanged(() => vhosts('PUT', `/${kept.id}`, other), 409, 'DOMAIN_TAKEN');
    const port = { ...good, domain: `http://keep.example:${owner.stack.httpPort}` };
    await expectUnchanged(() => vhosts('POST', '', port), 409, 'DOMAIN_TAKEN');
    for (const domain of [
      '{$B:http://KEEP.example}',
      'http://{$B:keep.example}',
      'http://{$B}keep.example',
      'http://keep.example/*',
    ]) {
      const json = { domain, config: `${domain} {\n}` };
      await expectUnchanged(() => vhosts('POST', '', json), 409, 'DOMAIN_TAKEN');
    }
    const cr = {
      domain: 'http://y.example',
      config: 'http://y.example http://KE\rEP.example {\n}',
    };
    await expectUnchanged(() => vhosts('POST', '', cr), 409, 'DOMAIN_TAKEN');
    const block = {
      domain: 'http://x.example',
      config: 'http://x.example, http://keep.example {\n}',
    };
    await expectUnchanged(() => vhosts('POST', '', block), 409, 'DOMAIN_TAKEN');
  });
});

describe('a config that the proxy rejects', () => {
  const post = (config: string, more: object = {}) =>
    vhosts<Refusal>('POST', '', { domain: 'http://new.example', config, ...more });

  test('an unknown directive is reported with its line in the config', async () => {
    const refusal = await expectUnchanged(
      () => post('respond a\n\nrespnd b'),
      502,
      'PROXY_REJECTED',
    );
    expect(refusal.line).toBe(3);
    expect(refusal.detail).toContain('unrecognized directive: respnd');
  });

  test('a config that fails only when it is loaded is refused too', async () => {
    const taken = Bun.listen({ hostname: '0.0.0.0', port: 0, socket: { data() {} } });
    const config = `http://new.example:${taken.port} {\nrespond x\n}`;
    const refusal = await expectUnchanged(
      () => vhosts('POST', '', { domain: `http://new.example:${taken.port}`, config }),
      502,
      'PROXY_REJECTED',
    );
    taken.stop(true);
    expect(refusal.detail).toContain('address already in use');
  });

  test.each([
    ['an extra closing brace', 'respond a\n}\nhttp://evil.example {\nrespond b', 2],
    ['an unclosed block', 'handle {\nrespond a', 1],
    ['a quoted brace', 'respond a\n"}"\nhttp://evil.example {\nrespond b', 2],
    ['an unclosed quote', 'respond a\nrespond "b', 2],
    ['a comment that swallows the next line', 'respond a # C:\\', 1],
    ['a file import', 'respond a\nimport /etc/passwd', 2],
    ['a default that opens a block', 'respond a\n{$NOPE:#} {\n}\nhttp://evil.example {', 2],
  ])('%s cannot leave its block', async (_, config, line) => {
    const refusal = await expectUnchanged(() => post(config), 502, 'PROXY_REJECTED');
    expect(refusal.line).toBe(line);
    expect(refusal.detail).toStartWith(`line ${line}: `);
  });

  test('an upstream inside a placeholder does not move its end', async () => {
    for (const [upstream, config] of [
      [
        'ME:80',
        'respond x{$HO{upstream}\nhandle {\nrespond {host}\n}\nhttp://evil.example {\nrespond b{$Y:{upstream}',
      ],
      ['ME:80', 'respond x{$HO{upstream} "a\nb {host}\nheader {\nimport /etc/passwd\n}\n#"'],
      ['h:80', 'handle {\nrespond {$X:{upstream}\n}'],
    ] as const) {
      await expectUnchanged(() => post(config, { upstream }), 502, 'PROXY_REJECTED');
    }
  });

  test('a disabled vhost is checked like an enabled one, whatever changes', async () => {
    await expectUnchanged(() => post('respnd a', { enabled: false }), 502, 'PROXY_REJECTED');
    const { id } = await create('http://off.example', 'reverse_proxy {upstream}', {
      upstream: '127.0.0.1:9',
      enabled: false,
    });
    const put = () => vhosts<Refusal>('PUT', `/${id}`, { upstream: 'https://127.0.0.1:80' });
    await expectUnchanged(put, 502, 'PROXY_REJECTED');
  });

  test('update, toggle and delete are not done by halves either', async () => {
    const { id } = await create('http://half.example', 'respond whole');
    const put = () => vhosts<Refusal>('PUT', `/${id}`, { config: 'respond whole\nrespnd' });
    const refusal = await expectUnchanged(put, 502, 'PROXY_REJECTED');
    expect(refusal.line).toBe(2);
  });
});
