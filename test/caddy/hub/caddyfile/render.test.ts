/** The proxyfile, against golden files and a real Caddy. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { locate, render, renderSite, type Site } from '../../../../src/hub/caddyfile/render.ts';
import { startAdaptCaddy } from '../../../harness/adapt-caddy.ts';
import { forFile } from '../../../harness/for-file.ts';

const caddy = await forFile(startAdaptCaddy());
const site = (id: number, domain: string, config: string, rest: Partial<Site> = {}): Site => ({
  id,
  domain,
  config,
  upstream: '',
  enabled: true,
  guards: [],
  ...rest,
});

/** Compares with the golden file; `UPDATE_GOLDEN=1` writes it. */
async function expectGolden(name: string, text: string): Promise<void> {
  const path = join(import.meta.dir, '../../../golden/render', `${name}.caddyfile`);
  if (process.env.UPDATE_GOLDEN === '1') await Bun.write(path, text);
  expect(text).toBe(await Bun.file(path).text());
}

const PREAMBLE = '{\n\temail me@example.com\n}\n\n(common) {\n\tencode gzip\n}\n\n\n';

test.each<[string, string, Site[]]>([
  ['nothing', '', []],
  ['preamble-alone', PREAMBLE, []],
  [
    'bodies',
    PREAMBLE,
    [
      site(
        1,
        'a.example',
        'import common\nreverse_proxy {upstream} {\n\theader_up Host {host}\n}',
        { upstream: 'localhost:9000' },
      ),
      site(2, 'off.example', 'respond off', { enabled: false }),
      site(3, 'b.example', 'respond "first\nsecond\n\n  third" 200\n\n# {upstream}\nlog\n'),
    ],
  ],
  [
    'blocks',
    '',
    [
      site(
        1,
        'a.example',
        '# first\na.example, www.a.example {\n  reverse_proxy {upstream}\n}\n\n',
        { upstream: 'http://$&:80' },
      ),
      site(2, 'http://b.example/x', 'http://b.example/x\n{\n\trespond `b\nc`\n} # the end'),
    ],
  ],
  [
    'variable-address',
    '(common) {\n}',
    [site(1, '{$SITE:a.example}', '{$SITE:a.example} {\n\tlog\n}')],
  ],
  [
    'variable-address-with-options',
    PREAMBLE,
    [site(1, '{$SITE:a.example}', '{$SITE:a.example} {\n\tlog\n}')],
  ],
  [
    'inside-tokens',
    '',
    [
      site(1, 'a.example', 'respond <<END\n  a\nEND 200\nlog'),
      site(2, 'b.example', 'respond "{$TEXT:a\nb}" # "\nrespond \\\nc'),
    ],
  ],
])('%s is rendered as in its golden file', async (name, preamble, sites) => {
  await expectGolden(name, render(preamble, sites).text);
});

test('a site whose address is an unset variable never becomes global options', async () => {
  for (const preamble of ['', '{\n}', '(s) {\n}', '{\n\tdebug\n}']) {
    const sites = [site(1, '{$NONE}', '{$NONE} {\n\tlog\n}'), site(2, 'http://b.example', 'log')];
    const adapted = await caddy.adapt(render(preamble, sites).text);
    expect(adapted.ok ? 'accepted' : adapted.error).toContain('must be first');
  }
});

test('Caddy accepts what is rendered', async () => {
  const sites = [site(1, 'http://a.example', 'respond a'), site(2, ':8080', ':8080 {\n\tlog\n}')];
  const adapted = await caddy.adapt(render(PREAMBLE, sites).text);
  expect(adapted.ok).toBe(true);
});

test('carriage returns and lines inside quotes stay as they are', () => {
  const { text } = renderSite(site(1, 'a.example', 'respond "a\r\nb"\r\n\r\nlog'));
  expect(text).toBe('a.example {\n\trespond "a\r\nb"\r\n\r\n\tlog\n}');
});

test('blank lines at the end are removed, unless there is a backslash before them', () => {
  const text = (config: string) => renderSite(site(1, 'a.example', config)).text;
  expect(text('log\n\n \t\r\n')).toBe('a.example {\n\tlog\n}');
  expect(text('log # \\ \n\n')).toBe('a.example {\n\tlog # \\ \n\n\n}');
});

test('a line of the proxyfile is traced to its vhost, for bodies and blocks', () => {
  const sites = [
    site(7, 'a.example', 'respond a\nlog'),
    site(8, 'b.example', '# b\nb.example {\n\tlog\n}\n\n'),
    site(9, 'c.example', 'respond c'),
  ];
  const rendered = render('(s) {\n}', sites);
  const lines = rendered.text.split('\n');
  const at = (text: string, from = 0) => lines.indexOf(text, from) + 1;
  expect(locate(rendered, 1)).toBeNull();
  expect(locate(rendered, at('a.example {'))).toBeNull();
  expect(locate(rendered, at('\trespond a'))).toEqual({ id: 7, domain: 'a.example', line: 1 });
  expect(locate(rendered, at('\tlog'))).toEqual({ id: 7, domain: 'a.example', line: 2 });
  expect(locate(rendered, at('# b'))).toEqual({ id: 8, domain: 'b.example', line: 1 });
  expect(locate(rendered, at('# b') + 3)).toEqual({ id: 8, domain: 'b.example', line: 4 });
  expect(locate(rendered, at('# b') + 4)).toBeNull();
  expect(locate(rendered, at('\trespond c'))).toEqual({ id: 9, domain: 'c.example', line: 1 });
  expect(locate(rendered, lines.length)).toBeNull();
  expect(rendered.spans.map(({ lines: count }) => count)).toEqual([2, 4, 1]);
});

test('an unchanged site is rendered once, however often all of them are', () => {
  const one = site(1, 'a.example', 'respond "a"');
  const block = renderSite(one);
  render(PREAMBLE, [one, site(2, 'b.example', 'respond "b"')]);
  render('', [one]);
  expect(renderSite(one)).toBe(block);
  expect(renderSite({ ...one })).not.toBe(block);
  expect(renderSite({ ...one })).toEqual(block);
});
