// proof: program
/** `signalbox agents`, and `signalbox site add --on`, for scripts on the host. */
import { expect, test } from 'bun:test';
import { formatInvitation } from '../../../src/shared/invitation.ts';
import { startEnrollable } from '../../harness/enrolled.ts';
import { forFile } from '../../harness/for-file.ts';
import { createOperator, refusal } from '../../harness/operator.ts';
import { ask } from '../../harness/stack.ts';

const operator = await forFile(createOperator());
const guest = await forFile(startEnrollable());
await operator.start();
const agents = (args: string[], input?: string) =>
  operator.run(['agents', ...args], input === undefined ? {} : { input });
const site = (...args: string[]) => operator.run(['site', ...args]);
const names = async () => (await agents(['list'])).out.match(/^[^\t]+/gm);
const line = (more: object = {}) => formatInvitation({ ...guest.invitation, ...more });

test('prints why it was refused, and changes nothing', async () => {
  const secret = 'x'.repeat(43);
  for (const [args, code] of [
    [['add', 'vps', 'sbxi_nonsense'], 'INVALID_REQUEST'],
    [['add', 'VPS', line()], 'INVALID_REQUEST'],
    [['add', 'vps', line({ secret })], 'INVITATION_INVALID'],
    [['add', 'local', line()], 'AGENT_TAKEN'],
    [['pause', 'vps'], 'NOT_FOUND'],
    [['rename', 'local', 'home'], 'INVALID_REQUEST'],
    [['remove', 'local'], 'AGENT_IN_USE'],
    [['rotate', 'local'], 'INVALID_REQUEST'],
    [['remove', '../vhosts'], 'NOT_FOUND'],
  ] as const) {
    const refused = await agents([...args]);
    expect([args, refused.code, refused.out]).toEqual([args, 1, '']);
    expect(refused.err).toContain(`(${code})`);
    expect(refused.err).not.toContain(secret);
  }
  expect(await names()).toEqual(['local']);
});

test('adds one, and places a site on it alone', async () => {
  const added = await agents(['add', 'vps', '-'], `invitation: ${line()}\n`);
  expect([added.code, added.err]).toEqual([0, '']);
  expect(added.out).toMatch(/^vps\tin-step\t20\S+Z\t\d+\.\d+\.\d+\thttps:\/\/\S+\n$/);
  expect(await names()).toEqual(['local', 'vps']);

  const domain = `http://a.example:${guest.httpPort}`;
  const nowhere = await site('add', domain, '127.0.0.1:9', '--on', 'vps,nas');
  expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('"nas"')]);
  expect(nowhere.err).toContain('The agents are local, vps.');
  const config = ['--config', '/dev/stdin'];
  const made = await operator.run(['site', 'add', domain, ...config, '--on', 'vps'], {
    input: 'respond there',
  });
  expect([made.code, made.err]).toEqual([0, '']);
  expect(await guest.served()).toBe('there');
  const used = await agents(['remove', 'vps']);
  expect([used.code, used.err]).toEqual([1, expect.stringContaining('(AGENT_IN_USE)')]);
  expect(used.err).toContain(domain);
});

test('imports the sites that the Caddy of one served, for it only', async () => {
  const file = `http://d.example:${guest.httpPort} {\n\trespond imported\n}\n`;
  const run = (...more: string[]) => operator.run(['import', '-', ...more], { input: file });
  expect(await run('--on', 'nas')).toEqual(refusal('(NOT_FOUND)'));
  expect((await run('--on', 'vps')).code).toBe(0);
  const headers = { Host: 'd.example' };
  const { text } = await ask(`http://127.0.0.1:${guest.httpPort}/`, { headers });
  expect(text).toBe('imported');
  expect(JSON.parse((await site('list', '--json')).out)).toContainEqual(
    expect.objectContaining({ domain: `http://d.example:${guest.httpPort}`, agents: ['vps'] }),
  );
  expect((await site('rm', `http://d.example:${guest.httpPort}`)).code).toBe(0);
});

test('renames, rotates, pauses and resumes it, and says who is behind', async () => {
  expect((await agents(['rename', 'vps', 'twin'])).out).toStartWith('twin\tin-step\t');
  expect((await agents(['rotate', 'twin'])).code).toBe(0);
  expect((await agents(['pause', 'twin'])).out).toMatch(/^twin\tin-step, paused\t/);
  const everywhere = await site('add', `http://b.example:${operator.port}`, '127.0.0.1:9');
  expect([everywhere.code, everywhere.err]).toEqual([
    0,
    'Behind: twin. Until it is back or resumed, its Caddy serves its previous sites.\n',
  ]);
  expect((await agents(['list'])).out).toContain('\ntwin\tbehind, paused\t');
  const input = `http://e.example:${operator.port} {\n\trespond e\n}\n`;
  const imported = await operator.run(['import', '-'], { input });
  expect([imported.code, imported.err]).toEqual([0, expect.stringContaining('Behind: twin.')]);
  await site('rm', `http://e.example:${operator.port}`);
  const gone = await site('rm', `http://b.example:${operator.port}`);
  expect(gone.err).toStartWith('Behind: twin.');
  expect((await agents(['resume', 'twin'])).out).toStartWith('twin\tin-step\t');
  const [, shown] = JSON.parse((await agents(['list', '--json'])).out);
  expect(shown).toMatchObject({ name: 'twin', paused: false, fingerprint: guest.fingerprint });
});

test('removes it, and says that its Caddy keeps running', async () => {
  expect((await site('rm', `http://a.example:${guest.httpPort}`)).code).toBe(0);
  const removed = await agents(['remove', 'twin']);
  expect([removed.code, removed.out]).toEqual([0, expect.stringMatching(/^twin\t/)]);
  expect(removed.err).toContain('keeps running unchanged');
  expect(await names()).toEqual(['local']);
});
