/** Sites that a policy for client certificates cannot guard: refused in their terms, with nothing stored. */
import { beforeAll, expect, test } from 'bun:test';
import { clientCertificate } from '../../../src/hub/recipes/policies/client-certificate.ts';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';
import { freePort } from '../../harness/stack.ts';

const owner = await forFile(startOwner());
type Refusal = Body & { message: string; hint: string };
const port = freePort();
const at = (name: string, path = '') => `https://${name}.example:${port}${path}`;
const policy = (name: string, more: object = {}) =>
  owner.call('POST', '/policies', {
    name,
    recipe: 'client-certificate',
    values: clientCertificate.example,
    ...more,
  });
const create = (json: object) => owner.call<Refusal>('POST', '/vhosts', json);

let preamble: string;

beforeAll(async () => {
  const { config } = (await owner.call<{ config: string }>('GET', '/preamble')).body;
  const own = 'tls {\n\tclient_auth {\n\t\tmode request\n\t}\n}';
  preamble = `${config.replace('{', '{\nskip_install_trust\nlocal_certs')}\n(own) {\n${own}\n}\n(outer) {\nimport own\n}\n`;
  expect((await owner.call('PUT', '/preamble', { config: preamble })).text).toContain(
    'local_certs',
  );
  for (const name of ['devices', 'others']) expect((await policy(name)).status).toBe(201);
  const { authority: exemptCertificates } = clientCertificate.example;
  const values = { address: '127.0.0.1:1', exemptCertificates };
  expect((await policy('sign-in', { recipe: 'authelia', values })).status).toBe(201);
});

const OWN = 'tls {\n\tclient_auth {\n\t\tmode request\n\t}\n}\nrespond x';
const both = `${at('two')}, http://two.example {\n\trespond x\n}`;

test('refused with the reason, and nothing is stored', async () => {
  await owner.create('base');
  const path = `${at('paths')}/x`;
  expect((await create({ domain: path, config: `${path} {\n\trespond x\n}` })).status).toBe(201);
  const before = await owner.everything();
  const refused: [object, string, string][] = [
    [{ policies: ['devices', 'others'] }, 'one policy for client certificates only', 'one policy'],
    [{ policies: ['sign-in', 'devices'] }, 'one policy for client certificates', 'one policy'],
    [{ policies: ['sign-in'], config: OWN }, 'has a client_auth of its own', 'sign-in'],
    [{ policies: ['sign-in'], domain: 'http://a.example' }, 'has an address for HTTP', 'sign-in'],
    [{ config: OWN }, 'has a client_auth of its own', 'Remove client_auth'],
    [{ config: 'import own\nrespond x' }, 'has a client_auth of its own', 'snippets'],
    [{ config: 'import outer\nrespond x' }, 'has a client_auth of its own', 'snippets'],
    [{ domain: 'http://a.example', enabled: false }, 'has an address for HTTP', '`except`'],
    [
      { domain: `a.example:${/http_port (\d+)/.exec(preamble)?.[1]}` },
      'has an address for HTTP',
      'for HTTPS only',
    ],
    [{ check: { path: '/', status: 200 } }, 'has a check', 'Remove the check'],
    [{ domain: at('two'), config: both }, 'has an address for HTTP', 'for HTTPS only'],
    [{ domain: at('paths') }, `shares its name with ${path}`, 'both sites'],
    [
      { domain: at('*'), config: `https://*.example:${port} {\n\trespond x\n}` },
      'shares its name',
      'both sites',
    ],
  ];
  for (const [more, words, hint] of refused) {
    const json = { domain: at('a'), config: 'respond x', policies: ['devices'], ...more };
    const { status, body } = await create(json);
    expect([more, status, body.code]).toEqual([more, 400, 'INVALID_REQUEST']);
    expect(body.message).toContain(words);
    expect(body.hint).toContain(hint);
    expect((await owner.call('POST', '/preview', { op: 'create', ...json })).status).toBe(400);
  }
  const everywhere = await policy('all', { everywhere: true });
  expect([everywhere.status, everywhere.text]).toEqual([
    400,
    expect.stringContaining('http://base.example'),
  ]);
  expect(await owner.everything()).toEqual(before);
});

test('refused too if the preamble or an undo would bring it about', async () => {
  const http = freePort();
  const { body: site } = await create({ domain: `later.example:${http}`, config: 'respond x' });
  const put = (json: object) => owner.call<Refusal>('PUT', `/vhosts/${site.id}`, json);
  expect((await put({ policies: ['devices'] })).status).toBe(200);
  const changed = await owner.call<Refusal>('PUT', '/preamble', {
    config: preamble
      .replace(/(\thttp_port|\{)/, `$1`)
      .replace(/http_port \d+/, `http_port ${http}`),
  });
  expect([changed.status, changed.body.message]).toEqual([
    400,
    expect.stringContaining(`The site later.example:${http} has an address for HTTP`),
  ]);
  expect((await put({ policies: [] })).status).toBe(200);
  const [taken] = await owner.changelog();
  expect((await put({ config: OWN })).status).toBe(200);
  const undone = await owner.call<Refusal>('POST', `/changelog/${taken?.id}/revert`);
  expect([undone.status, undone.body.message]).toEqual([
    400,
    expect.stringContaining('has a client_auth of its own'),
  ]);
});

test('a site can have a check if it only asks for certificates', async () => {
  const values = { ...clientCertificate.example, mode: 'request' };
  expect((await policy('asks', { values })).status).toBe(201);
  for (const [name, status] of [
    ['asks', 200],
    ['sign-in', 502],
  ] as const) {
    const check = { path: '/', status };
    const json = { domain: at(name), config: 'respond x', policies: [name], check };
    expect([name, (await create(json)).status]).toEqual([name, 201]);
  }
});

test('sites that share a name can have it together, and others on the same port keep theirs', async () => {
  const [domain, path] = [at('shared'), at('shared', '/x')];
  const sites = [
    { op: 'create', domain, config: 'respond x', policies: ['devices'] },
    { op: 'create', domain: path, config: `${path} {\n\trespond x\n}`, policies: ['devices'] },
    { op: 'create', domain: at('neighbour'), config: 'respond x', policies: ['others'] },
  ];
  const { status, text } = await owner.call('POST', '/vhosts/bulk', { operations: sites });
  expect([status, text]).toEqual([200, expect.any(String)]);
});
