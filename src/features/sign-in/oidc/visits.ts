/** What the routes that send a browser to the sign-in service share; as better-auth's. */
import { t } from 'elysia';
import { clientOf } from '../../../hub/auth/client.ts';
import type { OwnCookie } from '../../../hub/auth/sessions/cookie.ts';
import type { Person } from '../../../hub/auth/sessions/sessions.ts';
import type { ApiCore } from '../../../hub/core.ts';
import { Failure } from '../../../shared/failure.ts';
import { SECONDS } from '../challenges.ts';
import { PROVIDER } from './linked-accounts.ts';
import type { OidcSignIn, Return } from './sign-in.ts';

const LONGEST = 2048;
const Path = t.Optional(
  t.String({ maxLength: LONGEST, description: 'a path of the hub, `/` by default' }),
);
export const visit = {
  provider: t.String(),
  callbackURL: Path,
  errorCallbackURL: Path,
  disableRedirect: t.Optional(t.Boolean()),
};
export const Visit = t.Object(
  { url: t.String(), redirect: t.Boolean({ description: 'what `disableRedirect` is not' }) },
  { title: 'Visit' },
);
export const VISITS = [
  'VALIDATION_ERROR',
  'PROVIDER_NOT_FOUND',
  'OIDC_UNREACHABLE',
  'RATE_LIMITED',
] as const;
export const VISIT = {
  url: 'https://id.example/authorize?client_id=box&response_type=code&state=…',
  redirect: true,
};
export const GO = { value: { provider: PROVIDER, callbackURL: '/', errorCallbackURL: '/' } };
export const COOKIE = 'oidc';

type Wanted = Partial<Return> & {
  provider: string;
  disableRedirect?: boolean;
  invitation?: string;
};

/**
 * Sends browsers to the service.
 * @param oidc null: there is no sign-in service
 * @throws Failure PROVIDER_NOT_FOUND, VALIDATION_ERROR, and as `OidcSignIn.begin`
 */
export function createVisits({ originOf, addressOf }: ApiCore, oidc: OidcSignIn | null) {
  return async (
    { provider, disableRedirect = false, invitation, ...paths }: Wanted,
    { request, ownCookie }: { request: Request; ownCookie: (name: string) => OwnCookie },
    link?: Person,
  ) => {
    if (!oidc || provider !== PROVIDER) {
      throw new Failure('PROVIDER_NOT_FOUND', 'This hub has no such sign-in service.');
    }
    const read = (field: keyof Return, fallback: string) =>
      readPath(paths[field] ?? fallback, originOf(request), field);
    const callbackURL = read('callbackURL', '/');
    const errorCallbackURL = read('errorCallbackURL', callbackURL);
    const to = { callbackURL, errorCallbackURL, invitation };
    const client = clientOf(request, addressOf(request));
    const { url, challenge } = await oidc.begin(to, { client, ...(link && { link }) });
    ownCookie(COOKIE).write(challenge, SECONDS.oidc);
    return { url, redirect: !disableRedirect };
  };
}

/** `//elsewhere`, and what a browser takes for that. */
const OTHER_HOST = /^\/[/\\]/;

/** A path of the hub, so that nobody is led elsewhere. @throws Failure VALIDATION_ERROR */
function readPath(given: string, origin: string, field: keyof Return): string {
  const isOwn = /^\/(?![/\\])/.test(given) || given.startsWith(`${origin}/`);
  const url = isOwn ? URL.parse(given, origin) : null;
  const path = url?.origin === origin ? `${url.pathname}${url.search}${url.hash}` : '//';
  // Some characters have become nine.
  if (!OTHER_HOST.test(path) && path.length <= LONGEST) return path;
  throw new Failure('VALIDATION_ERROR', 'Must be a path of the hub.', { at: { field } });
}
