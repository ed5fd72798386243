/** The sign-in service (OpenID Connect): sends a browser there, and validates what comes back. */
import { createHash } from 'node:crypto';
import type { ClientAuth, Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import { readAtMost } from '../../../shared/bounded.ts';
import { loadOnce } from '../../../shared/memoize.ts';

export type OidcSettings = Readonly<{
  issuer: string;
  clientId: string;
  /** Null: a public client. */
  clientSecret: string | null;
  /** For people. */
  name: string;
}>;

/** Who somebody is at a service, which never changes; names and addresses may. */
export type Identity = Readonly<{ issuer: string; subject: string }>;

/** Null is what the service does not say. */
type Profile = Readonly<{ name: string | null; email: string | null }>;

export type Service = {
  /** Where to send the browser. @param secret what only this browser holds @throws Error */
  begin(secret: string): Promise<URL>;
  /**
   * @param answer the query with which the browser comes back
   * @throws Error for everything that is not as it should be; its message contains no secret
   */
  finish(
    secret: string,
    answer: URLSearchParams,
  ): Promise<Identity & { profile: () => Promise<Profile> }>;
};

const load = loadOnce(() => import('openid-client'));

/** Of each response. */
const DEADLINE_SECONDS = 10;
const MAX_BYTES = 1024 * 1024;
/** Characters (OpenID Connect Core 2). */
const LONGEST_SUBJECT = 255;
/** How far the clocks may be apart. */
const TOLERANCE_SECONDS = 60;

/** Derived from what the browser holds, so that the database has nothing to lose. */
const derive = (secret: string, what: 'state' | 'nonce' | 'verifier'): string =>
  createHash('sha256').update(`${what} ${secret}`).digest('base64url');

/** @param deadline in seconds, of each response; only tests shorten it */
export function createService(
  { issuer, clientId, clientSecret }: OidcSettings,
  redirectUri: () => string,
  now: () => Date,
  deadline = DEADLINE_SECONDS,
): Service {
  /** Fetched each time, as its keys are, because both may have changed. */
  async function discover(): Promise<Configuration> {
    const oidc = await load();
    const config = await oidc.discovery(
      new URL(`${trim(issuer)}/.well-known/openid-configuration`),
      clientId,
      { [oidc.clockTolerance]: TOLERANCE_SECONDS },
      clientSecret === null ? oidc.None() : authenticate(oidc, clientSecret),
      {
        timeout: deadline,
        [oidc.customFetch]: boundedFetch,
        execute: [
          // Checks signatures; algorithms with a shared secret, or none, have no key there.
          oidc.enableNonRepudiationChecks,
          ...(/^http:/i.test(issuer) ? [oidc.allowInsecureRequests] : []),
        ],
      },
    );
    const found = config.serverMetadata().issuer;
    if (trim(found) !== trim(issuer)) throw new Error(`the issuer calls itself ${found}`);
    return config;
  }

  return {
    async begin(secret) {
      const [oidc, config] = [await load(), await discover()];
      return oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri(),
        scope: 'openid profile email',
        state: derive(secret, 'state'),
        nonce: derive(secret, 'nonce'),
        code_challenge: await oidc.calculatePKCECodeChallenge(derive(secret, 'verifier')),
        code_challenge_method: 'S256',
      });
    },

    async finish(secret, answer) {
      const [oidc, config] = [await load(), await discover()];
      const url = new URL(`${redirectUri()}?${answer}`);
      const tokens = await oidc.authorizationCodeGrant(config, url, {
        expectedState: derive(secret, 'state'),
        expectedNonce: derive(secret, 'nonce'),
        pkceCodeVerifier: derive(secret, 'verifier'),
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims?.sub || claims.sub.length > LONGEST_SUBJECT) {
        throw new Error('the ID token names nobody');
      }
      if ((claims.azp ?? clientId) !== clientId) {
        throw new Error('the ID token is for another client (azp)');
      }
      if (claims.iat > now().getTime() / 1000 + TOLERANCE_SECONDS) {
        throw new Error('the ID token is from the future');
      }
      return {
        issuer: claims.iss,
        subject: claims.sub,
        async profile() {
          // Many services say more only when they are asked for it.
          const more = config.serverMetadata().userinfo_endpoint
            ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)
            : {};
          const all: Record<string, unknown> = { ...claims, ...more };
          const text = (name: string) => {
            const value = all[name];
            return typeof value === 'string' && value.trim() !== '' ? value : null;
          };
          return { name: text('name') ?? text('preferred_username'), email: text('email') };
        },
      };
    },
  };
}

const trim = (issuer: string) => issuer.replace(/\/+$/, '');

/** By the header, as is the default of the standard, unless the service accepts only the body. */
function authenticate(
  { ClientSecretBasic, ClientSecretPost }: typeof import('openid-client'),
  secret: string,
): ClientAuth {
  const [inHeader, inBody] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  const accepts = ({ token_endpoint_auth_methods_supported: methods }: ServerMetadata) =>
    methods?.includes('client_secret_basic') ?? true;
  return (server, ...rest) => (accepts(server) ? inHeader : inBody)(server, ...rest);
}

/** Follows no redirect, and reads only so much. */
const boundedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, { ...options, redirect: 'manual' } as RequestInit);
  const reader = response.body?.getReader();
  try {
    const body = reader && (await readAtMost(reader, MAX_BYTES, tooLarge));
    return new Response(body as Uint8Array<ArrayBuffer> | undefined, response);
  } finally {
    await reader?.cancel().catch(() => {});
  }
};

const tooLarge = () => new Error('the service’s response is larger than 1 MiB');
