/** What the dashboard's page says of the sign-in service before anybody is signed in. */
import { expect, test } from 'bun:test';
import { startHubAlone } from '../../../harness/hub-alone.ts';
import { ask } from '../../../harness/stack.ts';

async function pageWith(env: Record<string, string>): Promise<string> {
  const hub = await startHubAlone(env);
  const { text } = await ask(`${new URL(hub.hub).origin}/`);
  await hub.stop();
  return text;
}

test('it names the service, whatever its name is', async () => {
  const name = '"><script>alert(1)</script>$&';
  const env = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'box', OIDC_NAME: name };
  const text = await pageWith(env);
  expect(text).toContain(`data-service="${Bun.escapeHTML(name)}"`);
  expect(text).not.toContain(name);
  expect(await pageWith({})).toContain('data-service=""');
});
