/** better-auth's published client, with which the routes of signing in are compatible. */
import { createAuthClient } from 'better-auth/client';
import { twoFactorClient } from 'better-auth/client/plugins';

/** A client with a cookie jar like a browser's. @param hub the base of its API */
export function createClientOf(hub: string) {
  const jar = { cookie: '' };
  const redirects: unknown[] = [];
  const client = createAuthClient({
    plugins: [twoFactorClient({ onTwoFactorRedirect: (to) => void redirects.push(to) })],
    baseURL: `${hub}/auth`,
    fetchOptions: {
      onRequest(context) {
        if (jar.cookie !== '') context.headers.set('cookie', jar.cookie);
        return context;
      },
      onResponse({ response }) {
        const [set] = response.headers.getSetCookie();
        if (set) jar.cookie = set.split(';')[0] ?? '';
      },
    },
  });
  return { client, jar, redirects };
}
