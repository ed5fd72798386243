/** Probes: a few sites on the lines that they have in the whole proxyfile. */
import { describe, expect, test } from 'bun:test';
import { locate, render, renderProbe, type Site } from '../../../src/hub/caddyfile/render.ts';
import { storedPolicy } from '../../harness/vhost.ts';

const site = (id: number, config: string, more: Partial<Site> = {}): Site => ({
  id,
  domain: `http://site-${id}.example`,
  config,
  upstream: '',
  enabled: true,
  guards: [],
  ...more,
});
const PREAMBLE = '{\n\thttp_port 8080\n}\n\n(snippet) {\n\trespond x\n}';
const LAN = storedPolicy();
const sites = [
  site(1, 'respond one'),
  site(2, 'log\nrespond two\nrespond two', { guards: [LAN] }),
  site(3, 'http://site-3.example {\n\trespond three\n}'),
  site(4, 'respond four', { enabled: false }),
  site(5, 'respond five'),
];

describe('a probe', () => {
  const whole = render(PREAMBLE, sites, '2.11.4');
  const lines = whole.text.split('\n');

  test.each([[[]], [[1]], [[2, 3]], [[5, 1]], [[1, 2, 3, 5]]])(
    'of sites %j has every line where the whole has it, and no other site',
    (ids: number[]) => {
      const chosen = ids.map((id) => sites[id - 1] as Site);
      const probe = renderProbe(whole, chosen);
      const probed = probe.text.split('\n');
      for (const [index, line] of probed.entries()) {
        if (line !== '') expect(line).toBe(lines[index] ?? '');
      }
      for (const { id, domain } of sites)
        expect(probe.text.includes(domain)).toBe(ids.includes(id));
      expect(probe.text).toStartWith(whole.head);
      for (const span of probe.spans) expect(whole.spans).toContainEqual(span);
    },
  );

  test('of a disabled site has it after the end of the whole', () => {
    const off = sites[3] as Site;
    const probe = renderProbe(whole, [sites[1] as Site, { ...off, enabled: true }]);
    const index = probe.text.split('\n').findIndex((line) => line.includes('respond four'));
    expect(index).toBeGreaterThan(lines.length);
    expect(locate(probe, index + 1)).toEqual({ id: 4, domain: off.domain, line: 1 });
  });

  test('of all sites is the whole', () => {
    const enabled = sites.filter((one) => one.enabled);
    expect(renderProbe(whole, enabled).text).toBe(whole.text);
    const bare = render('', enabled);
    expect(renderProbe(bare, enabled).text).toBe(bare.text);
  });
});
