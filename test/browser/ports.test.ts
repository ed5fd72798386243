/** Where Caddy listens, in the details of the status, and the way to ports 80 and 443. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { ask } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard?.stop());

/** @returns null if the port is held already, or forbidden */
function holdPort80() {
  try {
    return Bun.listen({ hostname: '127.0.0.1', port: 80, exclusive: true, socket: { data() {} } });
  } catch {
    return null;
  }
}

test('the move to ports that are not free is refused with the reason', async () => {
  const other = holdPort80();
  const { stack, owner } = dashboard;
  const page = await dashboard.open();
  await page.goto('/');
  await page.locator('details.status > summary').click();
  const ports = page.locator('.status-list > div').filter({ hasText: `${stack.httpPort} and ` });
  await ports.getByText(/\(80 is (held|forbidden)/).waitFor();
  await ports.getByRole('button', { name: 'Move to 80 and 443' }).click();
  await ports.getByRole('alert').getByText('Caddy cannot move to ports 80 and 443').waitFor();
  const { body } = await ask<{ config: string }>(`${stack.hub}/preamble`, owner);
  expect(body.config).toContain(`http_port ${stack.httpPort}`);
  expect(dashboard.browserErrors().filter((error) => !error.includes('409'))).toEqual([]);
  other?.stop(true);
});
