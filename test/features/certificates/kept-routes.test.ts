/** Certificates that the hub keeps, through the API: refusals, who may, replaced, undone; never their keys. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { KeptCertificateView } from '../../../src/features/certificates/view.ts';
import { keptDigests } from '../../../src/shared/caddyfile/kept-certificates.ts';
import { selfSigned } from '../../harness/certificate.ts';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';

type Kept = KeptCertificateView & Body;

const DAY = 86_400;

const owner = await forFile(startOwner());
await owner.create('plain');
const kept = (method: string, path = '', json?: object, headers = {}) =>
  owner.call<Kept>(method, `/certificates/kept${path}`, json, headers);
const list = async () => (await owner.call<Kept[]>('GET', '/certificates/kept')).body;

const revert = (entry: { id: number } | undefined) =>
  owner.call('POST', `/changelog/${entry?.id}/revert`);

async function pairFor(names: string[], days = 30) {
  const { certificate: chain, key } = await selfSigned(names, days * DAY);
  return { chain, key };
}

async function upload(name: string, names: string[], days = 30) {
  const pair = await pairFor(names, days);
  const { status, body } = await kept('POST', '', { name, ...pair });
  expect(status).toBe(201);
  return { ...pair, ...body };
}

test('a wrong name, pair or field is refused, and nothing is changed', async () => {
  const pair = await pairFor(['a.example']);
  const other = await pairFor(['a.example']);
  const before = await owner.everything();
  for (const [json, field] of [
    [{ name: 'No Name', ...pair }, 'name'],
    [{ name: '../../etc/cron.d/a', ...pair }, 'name'],
    // A route would take it for the number of another one.
    [{ name: '12', ...pair }, 'name'],
    [{ name: 'a', ...pair, key: other.key }, 'key'],
    [{ name: 'a', ...pair, chain: 'x' }, 'chain'],
    [{ name: 'a', chain: pair.chain }, 'key'],
    [{ name: 'a', key: pair.key }, 'chain'],
  ] as const) {
    const { status, body, text } = await kept('POST', '', json);
    expect([status, body.code, body.field]).toEqual([400, 'INVALID_REQUEST', field]);
    expect(text).not.toContain('MI');
  }
  expect((await kept('PUT', '/none', pair)).status).toBe(404);
  expect((await kept('DELETE', '/0')).status).toBe(404);
  expect(await owner.everything()).toEqual(before);
  expect(await list()).toEqual([]);
});

test('it is sealed in the database, named in the Caddyfile, and its key in no answer', async () => {
  const made = await upload('wild', ['*.wild.example', 'wild.example']);
  expect(made).toMatchObject({
    name: 'wild',
    source: 'upload',
    sites: [],
    names: ['*.wild.example', 'wild.example', '127.0.0.1'],
  });
  const secret = made.key.split('\n')[1] as string;
  const answers = await Promise.all([
    owner.call('GET', '/certificates/kept'),
    owner.call('GET', '/certificates/kept/wild'),
    owner.call('GET', `/certificates/kept/${made.id}`),
    owner.call('GET', '/changelog'),
    owner.call('GET', '/export'),
    owner.call('GET', '/security-log'),
    owner.call('GET', '/proxyfile'),
  ]);
  for (const { status, text } of answers) {
    expect(status).toBe(200);
    expect(text).not.toContain(secret);
  }
  const proxyfile = answers.at(-1)?.text ?? '';
  expect(proxyfile.split('\n')[1]).toStartWith(
    '# Certificate wild for *.wild.example wild.example 127.0.0.1, kept by signalbox: sha256 ',
  );
  expect(keptDigests(proxyfile)).toHaveLength(1);
  const file = join(owner.stack.dataDir, 'signalbox.db');
  const bytes = await Promise.all(
    [file, `${file}-wal`].map(async (one) => Buffer.from(await Bun.file(one).bytes())),
  );
  expect(Buffer.concat(bytes).includes(secret)).toBe(false);
  expect((await kept('DELETE', '/wild')).status).toBe(200);
});

describe('changes', () => {
  test('a name is taken once', async () => {
    await upload('one', ['one.example']);
    const again = await kept('POST', '', { name: 'one', ...(await pairFor(['b.example'])) });
    expect([again.status, again.body.code]).toEqual([409, 'CERTIFICATE_TAKEN']);
    await upload('two', ['two.example']);
    const renamed = await kept('PUT', '/two', { name: 'one' });
    expect([renamed.status, renamed.body.code]).toEqual([409, 'CERTIFICATE_TAKEN']);
  });

  test('replacing is one entry, one undo brings the old one back, and the same again is nothing', async () => {
    const made = await upload('turn', ['turn.example']);
    const next = await pairFor(['turn.example', 'more.example'], 60);
    const put = await kept('PUT', '/turn', next);
    expect(put.status).toBe(200);
    expect(put.body.serial).not.toBe(made.serial);
    const [entry] = await owner.changelog();
    expect(entry).toMatchObject({ action: 'update', domain: '(certificate turn)' });
    expect(Object.keys(JSON.parse(entry?.diff ?? '{}').new)).toEqual([
      'names',
      'serial',
      'notAfter',
    ]);
    await kept('PUT', '/turn', next);
    expect((await owner.changelog())[0]?.id).toBe(entry?.id);
    expect((await revert(entry)).status).toBe(200);
    expect((await kept('GET', '/turn')).body.serial).toBe(made.serial);
  });

  test('only the session of an owner undoes one, and a token of an owner replaces it', async () => {
    await upload('mine', ['mine.example']);
    const [entry] = await owner.changelog();
    const { body: token } = await owner.call<{ token: string }>('POST', '/tokens', {
      name: 'hook',
      scope: 'write',
    });
    const hook = { Authorization: `Bearer ${token.token}` };
    const email = 'eve@example.org';
    const password = 'a long passphrase';
    await owner.call('POST', '/users', { name: 'Eve', email, password, role: 'editor' });
    const signIn = await owner.call<{ token: string }>(
      'POST',
      '/auth/sign-in/email',
      { email, password },
      { Authorization: '' },
    );
    const eve = { Authorization: `Bearer ${signIn.body.token}` };
    for (const [headers, code] of [
      [hook, 'FORBIDDEN'],
      [eve, 'FORBIDDEN_ROLE'],
    ] as const) {
      for (const path of [
        `/changelog/${entry?.id}/revert`,
        `/changelog/groups/${entry?.id}/revert`,
      ]) {
        const { status, body } = await owner.call('POST', path, undefined, headers);
        expect([path, status, body.code]).toEqual([path, 403, code]);
      }
    }
    const next = await pairFor(['mine.example']);
    expect((await kept('PUT', '/mine', next, hook)).status).toBe(200);
    expect((await revert(entry)).status).toBe(409);
  });

  test('one that sites are served with is only deleted by force, and its undo brings it back', async () => {
    const made = await upload('used', ['*.used.example']);
    const vhost = await owner.call<{ id: number }>('POST', '/vhosts', {
      domain: 'app.used.example',
      config: 'respond used',
    });
    await owner.call('POST', '/vhosts', { domain: 'http://web.used.example', config: 'respond w' });
    expect((await kept('GET', '/used')).body.sites).toEqual([vhost.body.id]);
    const refused = await kept('DELETE', '/used');
    expect([refused.status, refused.body.code]).toEqual([409, 'CERTIFICATE_IN_USE']);
    expect(refused.body.detail).toBe('Used by app.used.example.');
    expect((await kept('DELETE', '/used?force=true')).status).toBe(200);
    const [entry] = await owner.changelog();
    expect(entry).toMatchObject({ action: 'delete', domain: '(certificate used)' });
    expect((await revert(entry)).status).toBe(200);
    expect((await kept('GET', '/used')).body.serial).toBe(made.serial);
  });

  test('of several, the complete and newer one is served, and only the last of them is in use', async () => {
    const domain = 'nas.several.example';
    const vhost = await owner.call<{ id: number }>('POST', '/vhosts', {
      domain,
      config: 'respond n',
    });
    await upload('several-early', [domain], 20);
    await upload('several-late', [domain], 40);
    const wild = await upload('several-wild', ['*.several.example'], 80);
    const sitesOf = async (name: string) => (await kept('GET', `/${name}`)).body.sites;
    expect(await sitesOf('several-early')).toEqual([]);
    expect(await sitesOf('several-late')).toEqual([vhost.body.id]);
    expect(wild.sites).toEqual([]);
    expect((await kept('DELETE', '/several-late')).status).toBe(200);
    expect(await sitesOf('several-early')).toEqual([vhost.body.id]);
    expect((await kept('DELETE', '/several-early')).status).toBe(200);
    const refused = await kept('DELETE', '/several-wild');
    expect([refused.status, refused.body.detail]).toEqual([409, `Used by ${domain}.`]);
  });

  test('an If-Match of another version is refused', async () => {
    const made = await upload('match', ['match.example']);
    const pair = await pairFor(['match.example']);
    const stale = { 'If-Match': '"other"' };
    expect((await kept('PUT', '/match', pair, stale)).status).toBe(412);
    expect((await kept('DELETE', '/match', undefined, stale)).status).toBe(412);
    expect((await kept('GET', '/match')).body.serial).toBe(made.serial);
    const { headers } = await kept('GET', '/match');
    const fresh = { 'If-Match': headers.get('etag') ?? '' };
    expect((await kept('PUT', '/match', pair, fresh)).status).toBe(200);
  });
});
