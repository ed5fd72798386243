// proof: browser
/** The card of backups: makes one, lists it, and restores it; without BACKUP_DIR it says how. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { ask, startStack, temporaryFolder, until } from '../../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../../../harness/visit.ts';

setDefaultTimeout(4 * BROWSER_TIMEOUT_MS);

const folder = temporaryFolder();
const dir = join(folder, 'backups');
const card = () => page.getByRole('region', { name: 'Backups' });
const rows = () => card().getByRole('listitem');
const dialog = () => page.getByRole('dialog');
const create = (name: string) =>
  ask(`${dashboard.stack.hub}/vhosts`, {
    json: { domain: `http://${name}.example`, config: `respond ${name}` },
    headers: dashboard.owner.headers,
  });

mkdirSync(dir);
const env = { BACKUP_DIR: dir, BACKUP_PASSPHRASE: 'open sesame' };
const dashboard = await forFile(startDashboard(() => startStack(env, folder)));
const page = await dashboard.open();

test('makes one, lists it with its size, and changes nothing if it is cancelled', async () => {
  await create('kept');
  await page.goto('/import');
  await card().getByRole('button', { name: 'Back up now' }).click();
  await rows().first().getByText('without a key').waitFor();
  await card()
    .getByText(/signalbox-[0-9a-f]{8}-.*, \d+ kB/)
    .first()
    .waitFor();
  await rows()
    .first()
    .getByRole('button', { name: /^Restore/ })
    .click();
  await dialog().getByText('everyone has to sign in again').waitFor();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  expect((await dashboard.stack.served('kept.example')).text).toBe('kept');
});

test('warns of one from another hub, and says why it lists none', async () => {
  const [name = ''] = readdirSync(dir).filter((file) => file.endsWith('.db'));
  const strange = join(dir, name.replace(/-[0-9a-f]{8}-/, '-00000000-'));
  copyFileSync(join(dir, name), strange);
  await page.reload();
  const row = rows().filter({ hasText: 'from another hub' });
  await row.getByText('00000000').waitFor();
  await row.getByRole('button', { name: /^Restore/ }).click();
  await dialog().getByText('Switch that one off first').waitFor();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  rmSync(strange);
  renameSync(dir, `${dir}.away`);
  await page.reload();
  await card().getByText('The backups cannot be listed').waitFor();
  expect(await card().getByText('There are no backups yet').count()).toBe(0);
  renameSync(`${dir}.away`, dir);
  await card().getByRole('button', { name: 'Try again' }).click();
  await rows().getByText(name).waitFor();
});

test('restores one, and asks to sign in again', async () => {
  await create('later');
  expect((await dashboard.stack.served('later.example')).text).toBe('later');
  await rows()
    .first()
    .getByRole('button', { name: /^Restore/ })
    .click();
  await dialog().getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByRole('button', { name: 'Sign in' }).first().waitFor();
  const gone = async () => (await dashboard.stack.served('later.example')).text !== 'later';
  await until(gone, 'the later site to go');
  expect((await dashboard.stack.served('kept.example')).text).toBe('kept');
});
