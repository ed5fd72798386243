/** Passkeys: what the browser makes and answers for the hub, in the hub's JSON. */
import { get, send } from '../../../web/lib/api.ts';
import { keep, readKept } from '../../../web/lib/use-browser.ts';

const IP_ADDRESS = /^[\d.]+$|^\[/;

/** Whether this browser can, here: it needs a name, not an IP address, and HTTPS unless that is localhost. */
export const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in globalThis &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  !IP_ADDRESS.test(location.hostname);

const KEPT = 'passkey';

/** Whether somebody used one in this browser before. */
export const hasUsedPasskey = (): boolean => readKept(KEPT) !== null;

/** Makes a passkey of the signed-in account. @throws ApiError, or Error with a sentence */
export async function addPasskey(name: string): Promise<void> {
  const options = await get<PublicKeyCredentialCreationOptionsJSON>(
    '/auth/passkey/generate-register-options',
  );
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const response = await answered(navigator.credentials.create({ publicKey }));
  await send('POST', '/auth/passkey/verify-registration', { response, name });
  keep(KEPT, 'true');
}

/** What the browser answers to the hub's challenge. @throws ApiError, or Error with a sentence */
export async function answerPasskey(): Promise<unknown> {
  const options = await get<PublicKeyCredentialRequestOptionsJSON>(
    '/auth/passkey/generate-authenticate-options',
  );
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return answered(navigator.credentials.get({ publicKey }));
}

/** Signs in. @throws as `answerPasskey` does */
export async function signInWithPasskey(): Promise<void> {
  await send('POST', '/auth/passkey/verify-authentication', { response: await answerPasskey() });
  keep(KEPT, 'true');
}

async function answered(asked: Promise<Credential | null>): Promise<unknown> {
  try {
    const made = await asked;
    if (made instanceof PublicKeyCredential) return made.toJSON();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'InvalidStateError') {
      throw new Error('This device already has a passkey for this account.');
    }
    if (error instanceof DOMException && error.name === 'SecurityError') {
      throw new Error('Passkeys do not work at this address of the hub.');
    }
  }
  throw new Error('The browser gave no passkey. Try again.');
}
