// proof: browser
/** A passkey of a real browser, with an authenticator that it simulates. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { launchBrowser } from '../../../harness/browser.ts';
import { type HubAlone, startHubAlone } from '../../../harness/hub-alone.ts';
import { signUp } from '../../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../../../harness/visit.ts';

const email = 'ada@example.org';
let stack: HubAlone;
beforeAll(async () => {
  stack = await startHubAlone();
  await signUp(stack, email);
});
afterAll(() => stack.stop());

test(
  'a browser adds one and signs in with it, without an email address',
  async () => {
    const browser = await launchBrowser();
    try {
      const context = await browser.newContext();
      const page = await context.newPage();
      const cdp = await context.newCDPSession(page);
      await cdp.send('WebAuthn.enable');
      await cdp.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      // The page's host is the passkey's: any of the hub's will do.
      await page.goto(`http://localhost:${new URL(stack.hub).port}/api/health`);
      const result = await page.evaluate(
        async (credentials) => {
          const call = async <T>(path: string, json?: unknown) => {
            const init = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) };
            return (await fetch(`/api/auth${path}`, init)).json() as Promise<T>;
          };
          await call('/sign-in/email', credentials);
          const made = await navigator.credentials.create({
            publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
              await call<PublicKeyCredentialCreationOptionsJSON>(
                '/passkey/generate-register-options',
              ),
            ),
          });
          const added = await call('/passkey/verify-registration', { response: made });
          await call('/sign-out', {});
          const before = await call('/get-session');
          const got = await navigator.credentials.get({
            publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
              await call<PublicKeyCredentialRequestOptionsJSON>(
                '/passkey/generate-authenticate-options',
              ),
            ),
          });
          const signedIn = await call<{ session: { id: string } }>(
            '/passkey/verify-authentication',
            { response: got },
          );
          return { added, before, signedIn, after: await call('/get-session') };
        },
        { email, password: 'a long passphrase' },
      );
      expect(result.added).toMatchObject({ name: 'Passkey', deviceType: 'singleDevice' });
      expect(result.before).toBeNull();
      expect(result.signedIn).toMatchObject({ user: { email } });
      expect(result.after).toMatchObject({ session: { id: result.signedIn.session.id } });
    } finally {
      await browser.close();
    }
  },
  2 * BROWSER_TIMEOUT_MS,
);
