import { describe, expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { PAGES } from '../../../src/shared/pages.ts';
import { forFile } from '../../harness/for-file.ts';
import { startHubAlone } from '../../harness/hub-alone.ts';
import { ask, signUp } from '../../harness/stack.ts';

const stack = await forFile(startHubAlone());

const root = stack.hub.replace(/\/api$/, '');

const page = (path = '/', headers: Record<string, string> = {}) =>
  ask(`${root}${path}`, { headers });

describe('the dashboard', () => {
  test('has no page at an unknown address, and no file with an unknown name', async () => {
    for (const path of ['/nowhere', '/site', '/index.html', '/sites/1/x', '/..%2fpackage.json']) {
      const answer = await page(path);
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ code: 'NOT_FOUND' });
      expect(answer.text).not.toContain('<html');
    }
  });

  test('shows people who mistype an address where to go, but not under /api', async () => {
    const accept = { Accept: 'text/html,application/xhtml+xml' };
    for (const path of ['/nowhere', '/sites/1/x']) {
      const answer = await page(path, accept);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
      expect(answer.text).toContain('<div id="app">');
    }
    for (const path of ['/api', '/api/', '/api/nowhere', '/api/vhosts/x/y']) {
      const answer = await page(path, accept);
      expect([answer.status, (answer.body as { code: string }).code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  test('is read-only', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      expect((await ask(root, { method })).status).toBe(404);
    }
  });

  test.each(PAGES)('is one page at %s, which must not be cached or framed', async (path) => {
    const answer = await page(path.replace(':id', '7'));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe');
  });

  test('loads only its own files, has no inline script or style, and reveals no path of this machine', async () => {
    const { text } = await page();
    const loaded = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path ?? '');
    expect(loaded.length).toBeGreaterThan(2);
    for (const path of loaded) {
      expect(path).toMatch(/^\/[\w-]+\.(js|css|svg|png|webmanifest|woff2)$/);
      const file = await page(path);
      expect(file.status).toBe(200);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(file.headers.get('x-content-type-options')).toBe('nosniff');
      expect(file.text).not.toContain(process.cwd());
    }
    expect(text).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son[a-z]+=/i);
  });

  test('has its own typeface and a manifest with icons, so that a phone can install it', async () => {
    const { text } = await page();
    const [, font] = /as="font"[^>]*href="(\/[\w-]+\.woff2)"/.exec(text) ?? [];
    const face = await fetch(`${root}${font}`);
    expect(face.headers.get('content-type')).toBe('font/woff2');
    const bytes = new Uint8Array(await face.arrayBuffer());
    expect(new TextDecoder().decode(bytes.slice(0, 4))).toBe('wOF2');
    expect(bytes.byteLength).toBeLessThan(40_000);

    const [, path] = /rel="manifest" href="(\/[\w-]+\.webmanifest)"/.exec(text) ?? [];
    const answer = await page(path);
    expect(answer.headers.get('content-type')).toBe('application/manifest+json');
    type Manifest = { start_url: string; icons: { src: string; type: string; sizes: string }[] };
    const { start_url, icons } = JSON.parse(answer.text) as Manifest;
    expect(start_url).toBe('/');
    expect(icons.map(({ sizes }) => sizes)).toEqual(['any', '512x512', '512x512']);
    for (const { src, type } of icons) {
      const icon = await fetch(`${root}${src}`);
      expect([icon.status, icon.headers.get('content-type')]).toEqual([200, type]);
      await icon.arrayBuffer();
    }
  });

  test('is smaller than 75 KB in gzip at first, without the typeface, 170 KB with all its pages, and 120 KB more with the editor', async () => {
    const { text } = await page();
    const weights = new Map<string, number>();
    const sum = () => [...weights.values()].reduce((total, one) => total + one, 0);
    const first = [...text.matchAll(/"\/([\w-]+\.(?:js|css|svg))"/g)].flatMap(
      ([, name]) => name ?? [],
    );
    const load = async (name: string): Promise<string> => {
      const answer = await fetch(`${root}/${name}`, {
        headers: { 'Accept-Encoding': 'gzip' },
        decompress: false,
      });
      expect(answer.status).toBe(200);
      const bytes = Buffer.from(await answer.arrayBuffer());
      weights.set(name, bytes.byteLength);
      const body = answer.headers.get('content-encoding') === 'gzip' ? gunzipSync(bytes) : bytes;
      return body.toString();
    };
    const loaded = await Promise.all(first.map(load));
    expect(sum() + Buffer.byteLength(text)).toBeLessThan(75_000);
    for (const body of loaded) {
      for (const [, other] of body.matchAll(/["'(]\.?\/([\w-]+\.(?:js|css|svg))["')]/g)) {
        if (other && !weights.has(other)) loaded.push(await load(other));
      }
    }
    const names = [...weights.keys()];
    const editor = names.filter((_, at) => loaded[at]?.includes('cm-content'));
    expect(editor).toHaveLength(1);
    expect(first).not.toContain(editor[0]);
    const editorWeight = weights.get(editor[0] ?? '') ?? 0;
    expect(editorWeight).toBeLessThan(120_000);
    expect(sum() - editorWeight).toBeLessThan(170_000);
  });

  test('is sent uncompressed to clients that do not accept gzip', async () => {
    const [, name] = /"\/([\w-]+\.js)"/.exec((await page()).text) ?? [];
    for (const [header, encoding] of [
      ['identity', null],
      ['gzip;q=0', null],
      ['br, gzip', 'gzip'],
      ['gzip;q=0.5', 'gzip'],
    ] as const) {
      const answer = await fetch(`${root}/${name}`, {
        headers: { 'Accept-Encoding': header },
        decompress: false,
      });
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      expect(answer.headers.get('vary')).toBe('Accept-Encoding');
      await answer.arrayBuffer();
    }
  });

  test('says what the client needs to sign up', async () => {
    const door = async (headers: Record<string, string> = {}) =>
      /data-door="([^"]*)"/.exec((await page('/', headers)).text)?.[1];
    expect(await door({ 'X-Forwarded-For': '203.0.113.7' })).toBe('setup-code');
    expect(await door({ Host: 'rebound.example' })).toBe('setup-code');
    expect(await door()).toBe('setup');
    await signUp(stack);
    expect(await door()).toBe('closed');
  });
});
