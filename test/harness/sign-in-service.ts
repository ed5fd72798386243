/** A real OpenID provider, `oidc-provider`, behind a proxy that can spoil what it answers. */
import { createSign, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const CLIENT = { id: 'box', secret: 'the secret of the client, hush' };

type Json = Record<string, unknown>;
/** Replaces a response of the service; undefined: it stays. */
export type Spoil = (path: string, response: Response) => Promise<Response | undefined>;

export type SignInService = Awaited<ReturnType<typeof startSignInService>>;

function createKey(kid: string) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const about = { kid, use: 'sig' };
  return {
    privateKey,
    jwk: { ...privateKey.export({ format: 'jwk' }), ...about },
    shown: { ...publicKey.export({ format: 'jwk' }), ...about },
  };
}

const encode = (part: object | Buffer) =>
  (Buffer.isBuffer(part) ? part : Buffer.from(JSON.stringify(part))).toString('base64url');

/** @param hub its origin, for the address to return to */
export async function startSignInService(hub: string, port = 0) {
  const key = createKey('first');
  /** Whoever arrives is this person, who agrees to everything. */
  const person = { sub: 'ada-4711', name: 'Ada L.', email: 'ada@id.example' };
  const state: { spoil: Spoil | null; asked: string[] } = { spoil: null, asked: [] };

  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const behind = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve));
  const inner = `http://127.0.0.1:${(behind.address() as AddressInfo).port}`;

  const proxy = Bun.serve({
    hostname: '127.0.0.1',
    port,
    async fetch(request) {
      const { pathname, search, host } = new URL(request.url);
      state.asked.push(pathname);
      const headers = new Headers(request.headers);
      headers.set('X-Forwarded-Host', host);
      headers.set('X-Forwarded-Proto', 'http');
      const body = request.method === 'POST' ? await request.text() : undefined;
      const asked = { method: request.method, headers, body, redirect: 'manual' } as RequestInit;
      const response = await fetch(`${inner}${pathname}${search}`, asked);
      return (await state.spoil?.(pathname, response)) ?? response;
    },
  });
  const issuer = `http://127.0.0.1:${proxy.port}`;

  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${hub}/api/auth/callback/oidc`],
      },
    ],
    jwks: { keys: [key.jwk] },
    cookies: { keys: ['of the test'] },
    claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
    features: { devInteractions: { enabled: false } },
    ttl: { Interaction: 60, Grant: 60, Session: 60, AccessToken: 60, IdToken: 60 },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ ...person }) }),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc }: { oidc: { client: Json; session: Json } }) {
      const { clientId } = oidc.client;
      const grant = new provider.Grant({ clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
  provider.proxy = true;
  const callback = provider.callback();
  handle = (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return callback(request, response);
    return provider.interactionFinished(request, response, { login: { accountId: person.sub } });
  };

  /** Signs as the service does, or with another key or algorithm. */
  function sign(claims: Json, { privateKey, jwk } = key, header: Json = {}): string {
    const head = `${encode({ alg: 'RS256', kid: jwk.kid, ...header })}.${encode(claims)}`;
    return `${head}.${encode(createSign('RSA-SHA256').update(head).sign(privateKey))}`;
  }

  /** Replaces the ID token. */
  const withToken =
    (change: (claims: Json) => string): Spoil =>
    async (path, response) => {
      if (path !== '/token') return undefined;
      const body = (await response.json()) as Json;
      const [, claims = ''] = String(body.id_token).split('.');
      const given = JSON.parse(Buffer.from(claims, 'base64url').toString());
      return Response.json({ ...body, id_token: change(given) });
    };

  return {
    issuer,
    key,
    person,
    state,
    createKey,
    encode,
    sign,
    withToken,
    settings: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret },
    async stop() {
      await proxy.stop(true);
      behind.closeAllConnections();
      await new Promise((resolve) => behind.close(resolve));
    },
  };
}
