/** `/agents`: who may join, and what becomes of placements and preambles. */
import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentClient } from '../../../src/hub/agents/client.ts';
import { createAgentKeys } from '../../../src/hub/agents/keys.ts';
import { formatInvitation } from '../../../src/shared/invitation.ts';
import { startEnrollable } from '../../harness/enrolled.ts';
import { startFleet } from '../../harness/fleet.ts';
import { forFile } from '../../harness/for-file.ts';
import { until } from '../../harness/stack.ts';

const fleet = await forFile(startFleet(['vps']));
const guest = await forFile(startEnrollable());

type Body = {
  code?: string;
  field?: string;
  detail?: string;
  message?: string;
  warnings?: string[];
  updatedAt?: string;
};
type Entry = { id: number; domain: string; createdAt: string };
const call = (method: string, path: string, json?: unknown) => fleet.call<Body>(method, path, json);
const refused = async (
  status: number,
  code: string,
  ...[method, path, json]: Parameters<typeof call>
) => {
  const { status: got, body, text } = await call(method, path, json);
  expect([got, body.code]).toEqual([status, code]);
  return { body, text };
};
const invitation = (more: object = {}) => formatInvitation({ ...guest.invitation, ...more });
const site = (host: string, more: object = {}) => ({
  domain: `http://${host}`,
  config: `respond ${host}`,
  ...more,
});
const names = async () => (await fleet.agents()).map(({ name }) => name);

describe('an agent is not added', () => {
  afterAll(async () => expect(await names()).toEqual(['local', 'vps']));

  test.each([
    ['without a name', { name: '' }, 'name'],
    ['with a name in capitals', { name: 'VPS' }, 'name'],
    ['with a name that is too long', { name: 'x'.repeat(41) }, 'name'],
    ['with a line that is no invitation', { invitation: 'sbxi_nonsense' }, 'invitation'],
  ])('%s', async (_, wrong, field) => {
    const json = { name: 'guest', invitation: invitation(), ...wrong };
    const { body } = await refused(400, 'INVALID_REQUEST', 'POST', '/agents', json);
    expect(body.field).toBe(field);
  });

  test('under the name of another', async () => {
    const json = { name: 'vps', invitation: invitation() };
    await refused(409, 'AGENT_TAKEN', 'POST', '/agents', json);
  });

  test('with another secret, which the answer does not repeat', async () => {
    const secret = 'x'.repeat(43);
    const json = { name: 'guest', invitation: invitation({ secret }) };
    const { text } = await refused(401, 'INVITATION_INVALID', 'POST', '/agents', json);
    expect(text).not.toContain(secret);
  });

  test('with another certificate', async () => {
    const json = { name: 'guest', invitation: invitation({ fingerprint: '0'.repeat(64) }) };
    await refused(502, 'AGENT_UNREACHABLE', 'POST', '/agents', json);
  });
});

test('no token is in the database, or shown', async () => {
  const shown = (await call('GET', '/agents')).text + (await call('GET', '/export')).text;
  expect(shown).not.toContain('generation');
  expect(await names()).toEqual(['local', 'vps']);
});

describe('an agent that is added', () => {
  test('gets all sites that are placed nowhere in particular', async () => {
    expect((await call('POST', '/vhosts', site('before.example'))).status).toBe(201);
    const json = { name: 'guest', invitation: invitation() };
    const added = await call('POST', '/agents', json);
    expect([added.status, added.body]).toMatchObject([201, { name: 'guest', paused: false }]);
    await refused(409, 'AGENT_TAKEN', 'POST', '/agents', { ...json, name: 'twice' });
    await refused(401, 'INVITATION_INVALID', 'POST', '/agents', json);
    const text = (await call('GET', '/proxyfile?agent=guest')).text;
    expect(text).toContain('before.example');
    await until(() => guest.readProxyfile() === text, 'its Caddyfile');
  });

  test('has a preamble of its own if it is given one, which can be undone', async () => {
    const config = `{\n\thttp_port ${guest.httpPort}\n\thttps_port ${guest.httpsPort}\n}`;
    const changed = await call('PUT', '/preamble?agent=guest', { config });
    expect(changed.body).toMatchObject({ config, own: true });
    expect((await call('GET', '/preamble')).body).not.toMatchObject({ config });
    expect((await call('GET', '/preamble?agent=vps')).text).not.toContain(`${guest.httpPort}`);
    const more = await call('PUT', '/preamble?agent=guest', { config: `${config}\n# more` });
    const [entry] = (await fleet.call<Entry[]>('GET', '/changelog')).body;
    expect(entry).toMatchObject({ domain: '(preamble guest)', createdAt: more.body.updatedAt });
    expect((await call('POST', `/changelog/${entry?.id}/revert`)).status).toBe(200);
    expect((await call('GET', '/preamble?agent=guest')).body).toMatchObject({ config, own: true });
    await refused(404, 'NOT_FOUND', 'PUT', '/preamble?agent=nobody', { config });
    await refused(400, 'INVALID_REQUEST', 'PUT', '/preamble', { config: null });
  });

  test('can be renamed, paused and given a new token', async () => {
    await refused(400, 'INVALID_REQUEST', 'PATCH', '/agents/local', { name: 'other' });
    await refused(400, 'INVALID_REQUEST', 'POST', '/agents/local/rotate');
    await refused(409, 'AGENT_TAKEN', 'PATCH', '/agents/guest', { name: 'vps' });
    await refused(404, 'NOT_FOUND', 'PATCH', '/agents/nobody', { paused: true });
    expect((await call('PATCH', '/agents/guest', { name: 'visitor' })).body).toMatchObject({
      name: 'visitor',
    });
    expect((await call('POST', '/agents/visitor/rotate')).body).toMatchObject({ state: 'in-step' });
    await call('PATCH', '/agents/visitor', { paused: true });
    const made = await call('POST', '/vhosts', site('paused.example'));
    expect(made.body).toMatchObject({ behind: ['visitor'] });
    await refused(502, 'AGENT_UNREACHABLE', 'POST', '/vhosts?require=all', site('all.example'));
    const alone = site('alone.example', { agents: ['visitor'] });
    await refused(502, 'AGENT_UNREACHABLE', 'POST', '/vhosts', alone);
    expect(guest.readProxyfile()).not.toContain('paused.example');
    const again = await call('PATCH', '/agents/visitor', { paused: false });
    expect(again.body).toMatchObject({ paused: false, state: 'in-step' });
    expect(guest.readProxyfile()).toContain('paused.example');
  });

  test('can be renamed while it is given a new token', async () => {
    const rename = (from: string, to: string) => call('PATCH', `/agents/${from}`, { name: to });
    const rotated = call('POST', '/agents/visitor/rotate');
    expect((await rename('visitor', 'moved')).status).toBe(200);
    expect([(await rotated).status, (await rotated).body]).toMatchObject([200, { name: 'moved' }]);
    expect((await rename('moved', 'visitor')).body).toMatchObject({ state: 'in-step' });
  });

  test('cannot be removed while a site is placed on it alone, and leaves its proxy as it is', async () => {
    const alone = site('only.example', { agents: ['visitor'] });
    expect((await call('POST', '/vhosts', alone)).status).toBe(201);
    const { body } = await refused(409, 'AGENT_IN_USE', 'DELETE', '/agents/visitor');
    expect(body.detail).toContain('only.example');
    await refused(409, 'AGENT_IN_USE', 'DELETE', '/agents/local');
    await refused(
      400,
      'INVALID_REQUEST',
      'POST',
      '/vhosts',
      site('x.example', { agents: ['nobody'] }),
    );
    const [only] = (
      await fleet.call<{ id: number; domain: string }[]>('GET', '/vhosts?agent=visitor')
    ).body.filter(({ domain }) => domain === 'http://only.example');
    await call('PUT', `/vhosts/${only?.id}`, { agents: ['visitor', 'vps'] });
    const before = guest.readProxyfile();
    const { url, fingerprint } = guest;
    const file = join(fleet.stack.dataDir, 'secret-key');
    const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url');
    const keys = createAgentKeys({ read: () => key, make: () => {} });
    // The third agent, whose token was changed twice.
    const token = keys.tokenOf({ id: 3, generation: 3, fingerprint });
    const asHub = createAgentClient({ url, token, trust: { fingerprint } });
    expect((await asHub.status()).proxy.running).toBe(true);
    const removed = await call('DELETE', '/agents/visitor');
    expect(removed.body.message).toContain('keeps running unchanged');
    expect([removed.status, removed.body.warnings]).toEqual([200, []]);
    expect(guest.readProxyfile()).toBe(before);
    await expect(asHub.status()).rejects.toThrow('rejects the hub’s token');
    expect((await call('GET', `/vhosts/${only?.id}`)).body).toMatchObject({ agents: ['vps'] });
    const entries = (await fleet.call<{ id: number; domain: string }[]>('GET', '/changelog')).body;
    const entry = entries.find(({ domain }) => domain === '(agent visitor)');
    await refused(409, 'REVERT_CONFLICT', 'POST', `/changelog/${entry?.id}/revert`);
  });

  test('may still accept the hub’s token if it could not be told, and the answer says so', async () => {
    const everywhere = (await fleet.call<{ id: number }[]>('GET', '/vhosts')).body;
    for (const { id } of everywhere) await call('PUT', `/vhosts/${id}`, { agents: [] });
    await fleet.other('vps').stopOnly();
    const removed = await call('DELETE', '/agents/vps');
    expect([removed.status, removed.body]).toMatchObject([
      200,
      { warnings: [expect.stringContaining('may still accept the hub’s token')] },
    ]);
    expect(removed.text).toContain('The agent does not answer.');
  });
});
