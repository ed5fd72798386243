/** Preamble, preview, export and restore. */
import { describe, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';

let owner = await forFile(startOwner());
await owner.create('base');

describe('the preamble', () => {
  const ports = () => `http_port ${owner.stack.httpPort}\n\thttps_port ${owner.stack.httpsPort}`;

  test('that Caddy or signalbox refuses changes nothing', async () => {
    const before = await owner.everything();
    for (const [config, words] of [
      [`{\n\t${ports()}\n\tadmin off\n}`, 'line 4: admin'],
      [`{\n\t${ports()}\n}\nhttp://evil.example {\n}`, 'this is a site'],
      [`{\n\t${ports()}\n`, 'line 1'],
      [`{\n\t${ports()}\n\tnonsense\n}`, 'unrecognized global option'],
      ['import /etc/passwd', 'line 1'],
    ] as const) {
      const refused = await owner.call('PUT', '/preamble', { config });
      expect([config, refused.status, refused.body.code]).toEqual([config, 502, 'PROXY_REJECTED']);
      expect(refused.body.detail).toContain(words);
    }
    expect(await owner.everything()).toEqual(before);
  });

  test('is refused with its own line, not with one of a vhost’s config', async () => {
    const config = `{\n\t${ports()}\n\tnonsense\n}`;
    const place = { line: 4, detail: expect.stringMatching(/^preamble, line 4: /) };
    expect((await owner.call('PUT', '/preamble', { config })).body).toMatchObject(place);
    expect((await owner.call('POST', '/preview', { op: 'preamble', config })).body).toMatchObject(
      place,
    );
    const both = await owner.call('POST', '/restore?replace=true', {
      version: 1,
      preamble: config,
      vhosts: [{ domain: 'http://base.example', config: 'respond b', upstream: '', enabled: true }],
    });
    expect(both.body.detail).toMatch(/^preamble, line 4: /);
  });

  test('that somebody else has changed since is not overwritten, if that was asked for', async () => {
    const { body, headers } = await owner.call('GET', '/preamble');
    const mine = { 'If-Match': headers.get('etag') ?? '' };
    const put = (config: string, more = {}) => owner.call('PUT', '/preamble', { config }, more);
    const theirs = await put(`${body.config}\n# theirs`);
    const before = await owner.everything();
    const refused = await put(`${body.config}\n# mine`, mine);
    expect([refused.status, refused.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    expect(await owner.everything()).toEqual(before);
    const again = await put(body.config, { 'If-Match': theirs.headers.get('etag') ?? '' });
    expect(again.status).toBe(200);
    expect(again.headers.get('etag')).toBe(headers.get('etag'));
  });

  test('is published, recorded and undone like any change', async () => {
    const { config } = (await owner.call('GET', '/preamble')).body;
    expect(config).toContain(`http_port ${owner.stack.httpPort}`);
    const next = `{\n\t${ports()}\n}\n\n(greet) {\n\trespond "hi {args.0}"\n}`;
    const put = await owner.call<object>('PUT', '/preamble', { config: next });
    expect(put.body).toEqual({
      config: next,
      trustedProxies: null,
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect(owner.stack.readProxyfile()).toContain(next);
    await owner.create('greeted', 'import greet you');
    expect(await owner.served('greeted')).toBe('hi you');
    const [, entry] = await owner.changelog();
    expect(entry).toMatchObject({ action: 'update', domain: '(preamble)' });
    expect(JSON.parse(entry?.diff ?? '')).toEqual({ old: { config }, new: { config: next } });

    // A snippet that is in use cannot be removed.
    const before = await owner.everything();
    const refused = await owner.call('POST', `/changelog/${entry?.id}/revert`);
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(refused.body.detail).toContain('in http://greeted.example, line 1');
    expect(await owner.everything()).toEqual(before);
    await owner.call(
      'DELETE',
      `/vhosts/${JSON.parse(before.list).find((one: Body) => one.domain.includes('greeted')).id}`,
    );
    expect((await owner.call('POST', `/changelog/${entry?.id}/revert`)).status).toBe(200);
    expect((await owner.call('GET', '/preamble')).body.config).toBe(config);
  });
});

describe('a preview', () => {
  const preview = async (json: object) => (await owner.call('POST', '/preview', json)).body;
  const create = (name: string, config: string, more: object = {}) =>
    preview({ op: 'create', domain: `http://${name}.example`, config, ...more });

  test('shows what a change would do, and does nothing', async () => {
    const before = await owner.everything();
    const good = await create('p', 'respond p');
    expect(good).toMatchObject({ valid: true, detail: null, line: null });
    expect(good.proxyfile).toContain('http://p.example {\n\trespond p\n}');
    expect(good.diff).toContain('+http://p.example {');
    expect(good.diff).toContain('@@');

    expect(await create('p', 'respond p\nrespnd')).toMatchObject({
      valid: false,
      line: 2,
      detail: expect.stringContaining('respnd'),
    });
    const open = await preview({ op: 'update', id: 1, config: 'handle {' });
    expect(open).toMatchObject({ valid: false, line: 1 });
    expect(await create('base', 'respond p')).toMatchObject({ valid: false });
    const off = await create('p', 'respnd', { enabled: false });
    expect(off).toMatchObject({ valid: false, line: 1 });
    const gone = await preview({ op: 'delete', id: 1 });
    expect(gone.diff).toContain('-http://base.example {');
    const same = await preview({ op: 'update', id: 1, config: 'respond base' });
    expect(same).toMatchObject({ valid: true, diff: '' });
    const admin = await preview({ op: 'preamble', config: '{\n\tadmin off\n}' });
    expect(admin).toMatchObject({ valid: false, line: 2 });
    expect(await owner.everything()).toEqual(before);
  });

  test('of a malformed operation is an error', async () => {
    for (const [json, status] of [
      ...[{}, { op: 'explode' }, { op: 'create' }, { op: 'update', id: 'x' }].map(
        (malformed) => [malformed, 400] as const,
      ),
      [{ op: 'create', domain: 'a b', config: 'respond x' }, 400],
      [{ op: 'delete', id: 9_999 }, 404],
    ] as const) {
      expect((await owner.call('POST', '/preview', json)).status).toBe(status);
    }
  });
});

describe('export and restore', () => {
  test('return the proxyfile, of all vhosts or one', async () => {
    await owner.create('other');
    const off = { config: 'reverse_proxy {upstream}', upstream: '127.0.0.1:5', enabled: false };
    await owner.call('POST', '/vhosts', { domain: 'http://off.example', ...off });
    const whole = await owner.call('GET', '/proxyfile');
    expect(whole.headers.get('content-type')).toContain('text/plain');
    expect(whole.text).toBe(owner.stack.readProxyfile());
    expect((await owner.call('GET', '/proxyfile?vhost=1')).text).toContain('http://base.example {');
    expect((await owner.call('GET', '/proxyfile?vhost=1')).text).not.toContain('other.example');
    expect((await owner.call('GET', '/proxyfile?vhost=9999')).status).toBe(404);
    expect((await owner.call('GET', '/proxyfile?vhost=x')).status).toBe(400);
  });

  test('are a round trip, byte for byte, to an empty hub or in place of other sites', async () => {
    const saved = await owner.call<object>('GET', '/export');
    const file = owner.stack.readProxyfile();
    const used = await owner.call('POST', '/restore', saved.body);
    expect([used.status, used.body.code]).toEqual([409, 'NOT_EMPTY']);
    expect((await owner.call('POST', '/restore', { ...saved.body, version: 2 })).status).toBe(400);

    // The same ports: the preamble holds them.
    await owner.stack.stop();
    owner = await forFile(
      startOwner({
        PROXY_HTTP_PORT: String(owner.stack.httpPort),
        PROXY_HTTPS_PORT: String(owner.stack.httpsPort),
      }),
    );
    const onto = await owner.call('POST', '/restore', saved.body);
    expect([onto.status, onto.text]).toEqual([200, saved.text]);
    expect(owner.stack.readProxyfile()).toBe(file);

    await owner.create('extra');
    const replaced = await owner.call('POST', '/restore?replace=true', saved.body);
    expect(replaced.text).toBe(saved.text);
    expect((await owner.call('GET', '/export')).text).toBe(saved.text);
    expect(owner.stack.readProxyfile()).toBe(file);
    expect(await owner.served('extra')).toBe('');
    expect(await owner.served('base')).toBe('base');
  });
});
