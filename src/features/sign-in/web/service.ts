/** The sign-in service of the hub (OpenID Connect): the way there and back. */
import { send } from '../../../web/lib/api.ts';

/** Its name; empty if there is none. The hub writes it into the page. */
export const SERVICE = document.documentElement.dataset.service ?? '';

/** What the API calls it. */
export const SERVICE_ID = 'oidc';

/** Leads to the service, which leads back to this page. @throws ApiError */
export async function visitService(path: string, more: { invitation?: string } = {}) {
  const callbackURL = location.pathname + location.search;
  const body = { provider: SERVICE_ID, callbackURL, ...more };
  location.assign((await send<{ url: string }>('POST', path, body)).url);
}

type Returned = {
  /** Why the visit led to nothing; empty if it did not, or if there was none. */
  problem: string;
  /** The account wants a second factor as well. */
  isHalf: boolean;
};

/** What the way back says, which it removes from the address. */
export function takeReturn(): Returned {
  const place = new URL(location.href);
  const { searchParams } = place;
  const [problem, half] = [searchParams.get('error'), searchParams.get('twoFactorRedirect')];
  if (problem !== null || half !== null) {
    searchParams.delete('error');
    searchParams.delete('twoFactorRedirect');
    history.replaceState(history.state, '', place);
  }
  return { problem: problem ?? '', isHalf: half === 'true' };
}
