/** Caddyfiles and configs as people bring them: taken as they are meant, or refused and warned of in words that help. */
import { describe, expect, test } from 'bun:test';
import type { ImportAnswer } from '../../../../src/features/import/schemas.ts';
import { caddyIs } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';
import { type Body, startOwner } from '../../../harness/owner.ts';

type Warning = { code: string; message: string };
type Imported = ImportAnswer & Body;
type Verdict = { valid: boolean; hint: string | null; line: number | null; warnings?: Warning[] };

const owner = await forFile(startOwner());
const dryRun = (proxyfile: string) =>
  owner.call<Imported>('POST', '/import', { proxyfile, dryRun: true });
let count = 0;
const preview = async (config: string) =>
  (
    await owner.call<Verdict>('POST', '/preview', {
      op: 'create',
      domain: `http://site-${++count}.example`,
      config,
      upstream: '',
    })
  ).body;
const isOld = !caddyIs('>=2.7');

describe('an import', () => {
  test('names the variables that are not set, in what it takes and in what it refuses', async () => {
    const taken = await dryRun('http://films.{$HOME_DOMAIN} {\n\trespond {$MOTD:hello}\n}\n');
    expect([taken.status, taken.body.warnings?.length]).toEqual([200, 1]);
    expect(taken.body.warnings?.[0]?.code).toBe('VARIABLE_NOT_SET');
    expect(taken.text).toContain('{$HOME_DOMAIN}`');
    expect(taken.body.warnings?.[0]?.message).not.toContain('MOTD');
    const refused = await dryRun('{\n\tgrace_period {$GRACE}\n}\nhttp://a.example {\n}\n');
    expect([refused.status, refused.body.line]).toEqual([502, 2]);
    expect(refused.body.hint).toContain('`{$GRACE}` is not set');
  });

  test('says what only a newer Caddy replaces', async () => {
    const file =
      '(up) {\n\treverse_proxy {args[0]}:80\n}\nhttp://b.example {\n\timport up 10.0.0.1\n}\n';
    const { status, body } = await dryRun(file);
    if (!isOld) expect([status, body.vhosts?.length]).toEqual([200, 1]);
    else expect([status, body.detail]).toEqual([422, expect.stringContaining('needs Caddy 2.7')]);
  });

  test('takes a snippet that makes sites, and says which lines have one name', async () => {
    const file = [
      '(pair) {',
      '\thttp://{args.0}-one.example {',
      '\t\trespond one',
      '\t}',
      '\thttp://{args.0}-two.example {',
      '\t\trespond two',
      '\t}',
      '}',
      'import pair left',
    ].join('\n');
    const taken = await dryRun(file);
    if (taken.status === 200) {
      expect(taken.body.vhosts?.map(({ domain }) => domain)).toEqual([
        'http://left-one.example',
        'http://left-two.example',
      ]);
    } else expect([isOld, taken.status]).toEqual([true, 502]);
    const block = (address: string) => `http://both.example {\n\tbind ${address}\n\trespond x\n}\n`;
    const twice = await dryRun(block('127.0.0.1') + block('127.0.0.2'));
    expect(twice.status).toBe(409);
    expect(twice.body.message).toContain('twice (lines 1 and 5)');
    expect(twice.body.hint).toContain('`bind`');
  });

  test('names the certificate that is missing, with its site, and how several files are taken', async () => {
    const site = (name: string) =>
      `${name}.example.org {\n\ttls /srv/none/${name}/full.pem /srv/none/${name}/key.pem\n}\n`;
    const { body } = await dryRun(`c.example.org {\n\ttls internal\n}\n${site('d')}`);
    expect(body.detail).toStartWith('in d.example.org, line 2: ');
    expect(body.detail).toContain('/srv/none/d/full.pem');
    const files = await dryRun('http://e.example {\n}\nimport conf.d/*\n');
    expect([files.status, files.body.line]).toEqual([502, 3]);
    expect(files.body.hint).toContain('signalbox import FILE');
  });
});

test('a preview has the line of a matcher that is not defined, and warns of what cannot work', async () => {
  const { line } = await preview('@api path /api/*\nhandle @apis {\n\trespond x\n}');
  expect(line).toBe(2);
  const { valid, warnings } = await preview('redir {scheme}://{host}{uri}');
  expect([valid, warnings?.map(({ code }) => code)]).toEqual([true, ['REDIRECTS_TO_ITSELF']]);
  expect(await preview('respond ok')).not.toHaveProperty('warnings');
  const now = (await owner.call<{ config: string }>('GET', '/preamble')).body.config;
  const config = `${now}\n(s) {\n\trespond {$TEXT}\n}`;
  const of = await owner.call<Verdict>('POST', '/preview', { op: 'preamble', config });
  expect(of.body.warnings).toMatchObject([{ code: 'VARIABLE_NOT_SET' }]);
  expect(of.body.warnings?.[0]?.message).toStartWith('Preamble: `{$TEXT}`');
});
