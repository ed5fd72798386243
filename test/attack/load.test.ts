// proof: attack
/** A single request that would keep the hub, the agent or Caddy busy: each is bounded or refused. */
import { beforeAll, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { forFile } from '../harness/for-file.ts';
import { FULL } from '../harness/full.ts';
import { startOwner } from '../harness/owner.ts';
import { ask } from '../harness/stack.ts';

const nested = (blocks: number, inner = 'respond deep') =>
  `${'handle {\n'.repeat(blocks)}${inner}\n${'}\n'.repeat(blocks)}`;
const headers = (value: string) =>
  Array.from({ length: 3_000 }, (_, at) => `header X-Line-${at} ${value}`).join('\n');

/** Snippets that each import the one before twice: 2^30 lines. */
const doubling = [
  '(s0) {\nrespond again\n}',
  ...Array.from({ length: 30 }, (_, at) => `(s${at + 1}) {\nimport s${at}\nimport s${at}\n}`),
].join('\n');
/** The same with arguments instead of lines. */
const growing = [
  '(g0) {\nheader X "{args.0}"\n}',
  ...Array.from({ length: 30 }, (_, at) => `(g${at + 1}) {\nimport g${at} {args.0}{args.0}\n}`),
].join('\n');

const owner = await forFile(startOwner());
let fifo: string;

beforeAll(async () => {
  await owner.create('base');
  fifo = join(owner.stack.folder, 'fifo');
  Bun.spawnSync(['mkfifo', fifo]);
  symlinkSync(fifo, join(owner.stack.folder, 'link.pem'));
  mkdirSync(join(owner.stack.folder, 'certificates/inner'), { recursive: true });
  symlinkSync('/dev/zero', join(owner.stack.folder, 'certificates/inner/zero.pem'));
});

/**
 * Refused, with nothing changed.
 * @param isLate whether Caddy may be too slow to say why
 */
async function expectRefusal(config: string, detail: RegExp, line?: number, isLate = false) {
  const before = await owner.everything();
  const change = { domain: 'bad.example', config };
  const { status, body } = await owner.call('POST', '/vhosts', change);
  if (!isLate || body.code !== 'PROXY_UNREACHABLE') {
    expect([status, body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(body.detail).toMatch(detail);
    if (line !== undefined) expect(body.line).toBe(line);
  }
  expect(await owner.everything()).toEqual(before);
}

test('a preview of three thousand changed lines gives up the diff, not the verdict', async () => {
  const { id } = await owner.create('long', headers('old'));
  const heavy = owner.call('POST', '/preview', { op: 'update', id, config: headers('new') });
  let isOver = false;
  void heavy.then(() => {
    isOver = true;
  });
  // How many fit in depends on the machine; without any, the hub would have been held up.
  let answered = 0;
  for (let light = 0; light < 5; light++) {
    expect((await ask(`${owner.stack.hub}/health`)).status).toBe(200);
    if (!isOver) answered++;
  }
  expect(answered).toBeGreaterThan(0);
  const { valid, diff } = (await heavy).body;
  expect(valid).toBe(true);
  expect(diff).toBe('@@ too different to show @@\n');
  const gone = await owner.call('POST', '/preview', { op: 'delete', id });
  expect(gone.body.diff.match(/^-\theader X-Line/gm)).toHaveLength(3_000);
  await owner.call('DELETE', `/vhosts/${id}`);
});

test('a thousand nested blocks are refused before Caddy reads them', async () => {
  const config = nested(1_000);
  await expectRefusal(config, /nested at most 64 deep/, 64);
  const change = { op: 'create', domain: 'bad.example', config };
  expect((await owner.call('POST', '/preview', change)).body.valid).toBe(false);
  const preamble = (await owner.call('GET', '/preamble')).body.config;
  const snippet = `${preamble}\n(deep) {\n${nested(1_000)}}`;
  const refused = await owner.call('PUT', '/preamble', { config: snippet });
  expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
  expect(refused.body.detail).toContain('nested at most 64 deep');
  expect((await owner.create('fine', nested(40))).domain).toBe('http://fine.example');
});

test('the agent refuses them too, also in snippets, whoever asks', async () => {
  const text = `(a) {\n${nested(40)}}\n(b) {\n${nested(40, 'import a')}}\n`;
  for (const proxyfile of [
    `http://a.example {\n${nested(1_000)}}\n`,
    `${text}http://a.example {\nimport b\n}\n`,
  ]) {
    for (const path of ['reload', 'validate', 'adapt']) {
      const { status, text: answer } = await owner.stack.askAgent(`/proxy/${path}`, { proxyfile });
      expect([path, status]).toEqual([path, 502]);
      expect(answer).toContain('nested at most 64 deep');
    }
  }
});

test.each([
  ['doubling lines', doubling, 'import s30'],
  ['growing arguments', growing, 'import g30 aaaa'],
])('snippets with %s are refused before Caddy reads them', async (_, snippets, config) => {
  const { config: preamble } = (await owner.call('GET', '/preamble')).body;
  await owner.call('PUT', '/preamble', { config: `${preamble}\n${snippets}` });
  await expectRefusal(config, /too long/);
  await owner.call('PUT', '/preamble', { config: preamble });
});

test.each([
  ['/dev/zero', () => 'tls /dev/zero /dev/zero'],
  ['a pipe', () => `tls ${fifo} ${fifo}`],
  ['a link to a pipe', () => `tls ${owner.stack.folder}/link.pem ${fifo}`],
  ['a device by way of a variable', () => 'tls {env.HOME}/../../../../../../../dev/zero x'],
  ['a device in a folder', () => `tls {\nload ${owner.stack.folder}/certificates\n}`],
  ['an upstream’s authority', () => transport('tls_trusted_ca_certs /dev/zero')],
  ['a log', () => `log {\noutput file ${fifo} {\nroll_disabled\n}\n}`],
])('%s is not read as a file', async (_, config) => {
  await expectRefusal(config(), /instead of a regular file|without placeholders/);
});

test.each(['trusted_ca_cert_file', ...(FULL ? ['trusted_leaf_cert_file'] : [])])(
  '%s, which Caddy reads early, cannot take all memory',
  async (option) => {
    const config = `tls {\nclient_auth {\nmode require\n${option} /dev/zero\n}\n}`;
    // On a busy machine, the limit on its time ends it before the limit on its memory does.
    await expectRefusal(config, /too much memory/, undefined, true);
  },
);

test('after all of these, the next change is accepted', async () => {
  expect((await owner.create('after')).domain).toBe('http://after.example');
  expect(await owner.served('after')).toBe('after');
});

const transport = (option: string) =>
  `reverse_proxy https://127.0.0.1:9 {\ntransport http {\n${option}\n}\n}`;
