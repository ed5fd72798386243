/** The settings of backups, and what BACKUP_DIR is closed to. */
import { expect, test } from 'bun:test';
import { backupsFor } from '../../../src/features/backups/settings.ts';
import { readSettings } from '../../../src/program/config.ts';
import type { Role } from '../../../src/shared/setting.ts';
import { machine } from '../../harness/stack.ts';

const AGENT_TOKEN = 't'.repeat(32);
const read = (role: Role, env: Record<string, string>) =>
  readSettings(role, { AGENT_TOKEN, ...env }, machine);

test.each<[Role, Record<string, string>, string]>([
  ['hub', { BACKUP_DIR: 'backups' }, 'BACKUP_DIR must be an absolute path'],
  ['hub', { BACKUP_KEEP: '0' }, 'BACKUP_KEEP must be a whole number'],
  ['all', { BACKUP_DIR: '/mnt', IMPORT_DIRS: '/mnt/sites' }, 'must not contain BACKUP_DIR'],
  ['agent', { BACKUP_DIR: '/mnt/a', IMPORT_DIRS: '/mnt' }, 'must not contain BACKUP_DIR'],
])('%s refuses %j', (role, env, what) => expect(() => read(role, env)).toThrow(what));

test('an agent opens no file of BACKUP_DIR for a site, and makes no backups', () => {
  const { agent, hub } = read('agent', { BACKUP_DIR: '/mnt/backups', BACKUP_KEEP: 'some' });
  expect([agent.proxy.barred, hub.plans]).toEqual([['/mnt/backups'], []]);
});

test('commands read no other setting', () => {
  const env = { BACKUP_DIR: '/mnt/backups', BACKUP_PASSPHRASE: 'open sesame', HUB_PORT: 'none' };
  expect(backupsFor(env, machine.readFile)).toEqual({
    settings: { dir: '/mnt/backups', keep: 14, passphrase: 'open sesame' },
    passphrase: 'open sesame',
  });
});
