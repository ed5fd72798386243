// proof: agent
/** Texts that become far more than they are: the live Caddy never pays for them, and what is refused has its line. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { caddiesOf } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';
import { some } from '../../../harness/full.ts';
import { startLoneAgent } from '../../../harness/lone-agent.ts';

const MOST_MIB = 40;
const SIZES = some(2, 5, 'SIZES');

const agent = await forFile(startLoneAgent());
expect((await agent.reload(agent.text([], 'http://a.test {\n\trespond ok\n}\n'))).status).toBe(200);
const validate = (proxyfile: string) =>
  agent.get<{ code: string; line?: number; message: string }>('/proxy/validate', { proxyfile });

const site = (body: string, before = '') => `${before}http://b.test {\n${body}}\n`;
const lines = (unit: string, kib: number) => unit.repeat(Math.ceil((kib * 1024) / unit.length));
const snippet = (name: string, body: string) => `(${name}) {\n${body}}\n`;
/** A snippet that imports the one before it ten times, and so on. */
const nested = (deep: number) =>
  snippet('s0', '\theader X-A b\n') +
  Array.from({ length: deep }, (_, at) =>
    snippet(`s${at + 1}`, `\timport s${at}\n`.repeat(10)),
  ).join('');

/** What a text becomes grows with `kib`, whatever it is made of. */
const KINDS: Record<string, (kib: number) => string> = {
  'a range': (kib) => site(`\treverse_proxy 127.0.0.1:1-${Math.min(65_000, kib * 20)}\n`),
  ranges: (kib) => site(lines('\treverse_proxy 127.0.0.1:1-65000 127.0.0.1:1-64000\n', kib / 100)),
  'short ranges': (kib) => site(lines('\treverse_proxy 127.0.0.1:1-99\n', kib / 20)),
  'a range in an argument': () =>
    site('\timport s 1-65000\n'.repeat(20), snippet('s', '\treverse_proxy 127.0.0.1:{args.0}\n')),
  'a range of arguments': () =>
    site(
      '\timport s 1 65000\n'.repeat(20),
      snippet('s', '\treverse_proxy 127.0.0.1:{args.0}-{args.1}\n'),
    ),
  'a snippet, often': (kib) =>
    site(lines('\timport s\n', kib / 100), snippet('s', '\theader X-A b\n'.repeat(100))),
  'snippets in snippets': (kib) => site('\timport s4\n'.repeat(kib / 100), nested(4)),
  headers: (kib) => site(lines('\theader X-A b\n', kib)),
  'a map': (kib) => site(`\tmap {path} {x} {\n${lines('\t\ta b\n', kib)}\t}\n`),
  handles: (kib) => site(lines('\thandle /a {\n\t\tabort\n\t}\n', kib)),
  variables: (kib) => site(lines('\tvars a b\n', kib)),
  PHP: (kib) => site(lines('\tphp_fastcgi a\n', kib)),
  answers: (kib) => site(lines('\trespond /a b\n', kib)),
  matchers: (kib) => site(lines('\t@a path /a\n', kib).replace(/@a/g, () => `@a${next++}`)),
  names: (kib) => lines('http://N.test {\n\tabort\n}\n', kib).replace(/N/g, () => `n${next++}`),
};
let next = 0;

const peak = () => {
  const [caddy] = caddiesOf(agent.dataDir);
  return (
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${caddy?.pid}/status`, 'utf8'))?.[1]) / 1024
  );
};

for (const [kind, textOf] of Object.entries(KINDS))
  test(`${kind}: the live Caddy takes little for it`, async () => {
    const before = peak();
    for (const kib of [80, 50, 200, 400, 1_000].slice(0, SIZES)) {
      const proxyfile = agent.text([], textOf(kib));
      const answer = await validate(proxyfile);
      if (answer.status !== 200)
        expect(answer).toMatchObject({ status: 502, body: { code: 'PROXY_REJECTED' } });
    }
    expect(Math.round(peak() - before)).toBeLessThanOrEqual(MOST_MIB);
  });

test('a range of more than 100 ports is refused with its line, in every place of an upstream', async () => {
  for (const [place, line] of [
    ['\treverse_proxy 127.0.0.1:1-101\n', 0],
    ['\treverse_proxy {\n\t\tto b:80 a:1000-1100\n\t}\n', 1],
    ['\tphp_fastcgi [::1]:1-101\n', 0],
    ['\troute {\n\t\treverse_proxy /x a:1-101\n\t}\n', 1],
  ] as const) {
    const proxyfile = agent.text([], site(place));
    const at = proxyfile.split('\n').indexOf('http://b.test {') + 2 + line;
    expect(await validate(proxyfile)).toMatchObject({
      status: 502,
      body: { code: 'PROXY_REJECTED', line: at },
    });
  }
  const answer = await validate(
    agent.text([], site('\treverse_proxy a:1-100\n\trespond 10:30-1130\n')),
  );
  expect(answer.body).not.toHaveProperty('line');
});
