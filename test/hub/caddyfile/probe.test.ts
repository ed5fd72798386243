import { describe, expect, test } from 'bun:test';
import { renderProbe } from '../../../src/hub/caddyfile/probe.ts';
import { locate, render, type Site } from '../../../src/hub/caddyfile/render.ts';

const site = (id: number, config: string, more: Partial<Site> = {}): Site => ({
  id,
  domain: `http://site-${id}.example`,
  config,
  upstream: '',
  enabled: true,
  ...more,
});
const PREAMBLE = '{\n\thttp_port 8080\n}\n\n(snippet) {\n\trespond x\n}';
const sites = [
  site(1, 'respond one'),
  site(2, 'respond two\nrespond two'),
  site(3, 'http://site-3.example {\n\trespond three\n}'),
  site(4, 'respond four', { enabled: false }),
  site(5, 'respond five'),
];

describe('a probe', () => {
  const whole = render(PREAMBLE, sites);
  const lines = whole.text.split('\n');

  test.each([[[]], [[1]], [[2, 3]], [[5, 1]], [[1, 2, 3, 5]]])(
    'of %j has each of its lines where the whole has it, and no other site',
    (ids: number[]) => {
      const chosen = ids.map((id) => sites[id - 1] as Site);
      const probe = renderProbe(whole, chosen);
      const probed = probe.text.split('\n');
      for (const [at, line] of probed.entries()) {
        if (line !== '') expect(line).toBe(lines[at] ?? '');
      }
      for (const { id, domain } of sites)
        expect(probe.text.includes(domain)).toBe(ids.includes(id));
      expect(probe.text).toStartWith(whole.head);
      for (const span of probe.spans) expect(whole.spans).toContainEqual(span);
    },
  );

  test('of a disabled site has it behind the end of the whole', () => {
    const off = sites[3] as Site;
    const probe = renderProbe(whole, [sites[1] as Site, { ...off, enabled: true }]);
    const at = probe.text.split('\n').findIndex((line) => line.includes('respond four'));
    expect(at).toBeGreaterThan(lines.length);
    expect(locate(probe, at + 1)).toEqual({ id: 4, domain: off.domain, line: 1 });
  });

  test('holds every line of the whole when it is of every site', () => {
    const enabled = sites.filter((one) => one.enabled);
    expect(renderProbe(whole, enabled).text).toBe(whole.text);
    const bare = render('', enabled);
    expect(renderProbe(bare, enabled).text).toBe(bare.text);
  });
});
