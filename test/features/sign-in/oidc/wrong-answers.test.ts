/** What a sign-in service may answer wrongly: none of it names anybody. */
import { afterEach, describe, expect, test } from 'bun:test';
import { createHmac, createPublicKey } from 'node:crypto';
import { createService } from '../../../../src/features/sign-in/oidc/service.ts';
import { createVisitor } from '../../../harness/cookie-jar.ts';
import { forFile } from '../../../harness/for-file.ts';
import { CLIENT, type Spoil, startSignInService } from '../../../harness/sign-in-service.ts';

const HUB = 'http://localhost:9';
const SECRET = 'what only this browser holds';

const service = await forFile(startSignInService(HUB));
afterEach(() => {
  service.state.spoil = null;
});

const create = (more: { clientSecret?: string | null; deadline?: number; issuer?: string } = {}) =>
  createService(
    {
      issuer: more.issuer ?? service.issuer,
      clientId: CLIENT.id,
      name: '',
      clientSecret: more.clientSecret === undefined ? CLIENT.secret : more.clientSecret,
    },
    () => `${HUB}/api/auth/callback/oidc`,
    () => new Date(),
    more.deadline,
  );

/** Goes there, and comes back. @param change of the query with which the browser does */
async function signIn(hub = create(), change: (answer: URLSearchParams) => void = () => {}) {
  const url = await hub.begin(SECRET);
  const back = await createVisitor().follow(url.href, ({ origin }) => origin === HUB);
  change(back.searchParams);
  const found = await hub.finish(SECRET, back.searchParams);
  return { issuer: found.issuer, subject: found.subject, profile: await found.profile() };
}

const now = () => Math.floor(Date.now() / 1000);
type Claims = Record<string, unknown>;
/** The ID token with other claims, signed as it should be. */
const claiming = (more: Claims) =>
  service.withToken((claims) => service.sign({ ...claims, ...more }));
const unsigned = (header: object, claims: Claims) =>
  `${service.encode(header)}.${service.encode(claims)}`;
const at =
  (where: string, response: () => Response | Promise<Response>): Spoil =>
  async (path) =>
    path === where ? response() : undefined;

test('a right answer names somebody', async () => {
  const ada = {
    issuer: service.issuer,
    subject: service.person.sub,
    profile: { name: 'Ada L.', email: 'ada@id.example' },
  };
  expect(await signIn()).toEqual(ada);
  // An address that differs by the slash at the end, as people copy it.
  expect(await signIn(create({ issuer: `${service.issuer}/` }))).toEqual(ada);
  // Clocks may be a minute apart.
  service.state.spoil = claiming({ iat: now() + 50, exp: now() - 50 });
  expect(await signIn()).toEqual(ada);
});

test('keys that were rotated are fetched again', async () => {
  const hub = create();
  await signIn(hub);
  const next = service.createKey('second');
  const token = service.withToken((claims) => service.sign(claims, next));
  service.state.spoil = async (path, response) =>
    path === '/jwks' ? Response.json({ keys: [next.shown] }) : token(path, response);
  expect((await signIn(hub)).subject).toBe(service.person.sub);
});

describe('nobody is named by', () => {
  test.each<[string, () => Spoil, RegExp]>([
    ['another issuer', () => claiming({ iss: 'https://evil.example' }), /JWT "iss"/],
    ['another audience', () => claiming({ aud: 'other' }), /JWT "aud"/],
    ['another authorized party', () => claiming({ azp: 'other' }), /azp/],
    [
      'several audiences without an authorized party',
      () => claiming({ aud: [CLIENT.id, 'other'] }),
      /audiences/,
    ],
    ['another nonce', () => claiming({ nonce: 'other' }), /nonce/],
    ['no nonce', () => claiming({ nonce: undefined }), /nonce/],
    ['an expired token', () => claiming({ exp: now() - 90 }), /"exp"/],
    ['a token from the future', () => claiming({ iat: now() + 90 }), /future/],
    ['a token without a subject', () => claiming({ sub: undefined }), /sub/],
    ['an empty subject', () => claiming({ sub: '' }), /sub|nobody/],
    ['an endless subject', () => claiming({ sub: 'x'.repeat(256) }), /nobody/],
    [
      'no signature',
      () => service.withToken((claims) => `${unsigned({ alg: 'none', kid: 'first' }, claims)}.`),
      /alg/,
    ],
    [
      'a signature with the public key as a shared secret',
      () =>
        service.withToken((claims) => {
          const head = unsigned({ alg: 'HS256', kid: 'first' }, claims);
          const pem = createPublicKey(service.key.privateKey).export({
            type: 'spki',
            format: 'pem',
          });
          return `${head}.${service.encode(createHmac('sha256', pem).update(head).digest())}`;
        }),
      /alg/,
    ],
    [
      'another key by the same name',
      () => service.withToken((claims) => service.sign(claims, service.createKey('first'))),
      /signature/,
    ],
    [
      'claims that were changed after they were signed',
      () =>
        service.withToken((claims) => {
          const [head, , signature] = service.sign(claims).split('.');
          return `${head}.${service.encode({ ...claims, sub: 'root' })}.${signature}`;
        }),
      /signature/,
    ],
    ['no token', () => service.withToken(() => undefined as never), /id_token/],
    [
      'a profile of somebody else',
      () => at('/me', () => Response.json({ sub: 'root', email: 'root@id.example' })),
      /sub/,
    ],
    ['no keys', () => at('/jwks', () => new Response('', { status: 503 })), /status/],
    [
      'a response of 10 MB',
      () => at('/token', () => new Response('x'.repeat(10_000_000))),
      /larger/,
    ],
    [
      'keys of 10 MB, packed into few',
      () =>
        at(
          '/jwks',
          () =>
            new Response(Bun.gzipSync(Buffer.alloc(10_000_000, ' ')), {
              headers: { 'Content-Encoding': 'gzip' },
            }),
        ),
      /larger/,
    ],
    [
      'a redirect to elsewhere',
      () => at('/token', () => Response.redirect(`${service.issuer}/elsewhere`, 307)),
      /status|response/,
    ],
  ])('%s', async (_, spoil, reason) => {
    service.state.spoil = spoil();
    service.state.asked.length = 0;
    const words = await signIn().then(
      () => 'signed in',
      ({ message, cause }) => `${message} ${cause?.message}`,
    );
    expect(words).toMatch(reason);
    expect(words).not.toContain('eyJ');
    expect(service.state.asked).not.toContain('/elsewhere');
  });

  test.each<[string, (answer: URLSearchParams) => void, RegExp]>([
    ['another state', (answer) => answer.set('state', 'x'.repeat(43)), /state/],
    ['no state', (answer) => answer.delete('state'), /state/],
    ['an answer of another issuer', (answer) => answer.set('iss', 'https://evil.example'), /iss/],
    ['an answer without the issuer that was promised', (answer) => answer.delete('iss'), /iss/],
    ['a code that was made up', (answer) => answer.set('code', 'x'.repeat(43)), /error/],
  ])('%s', async (_, change, reason) => {
    const refused = signIn(create(), change).catch(({ message, cause }) => {
      throw new Error(`${message} ${cause?.message}`);
    });
    await expect(refused).rejects.toThrow(reason);
  });

  test('a service that hangs', async () => {
    for (const path of ['/token', '/jwks']) {
      service.state.spoil = at(path, () => new Promise(() => {}));
      await expect(signIn(create({ deadline: 0.3 }))).rejects.toThrow(/timed out/);
      // Or stops in the middle.
      const begun = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{')) });
      service.state.spoil = at(path, () => new Response(begun));
      await expect(signIn(create({ deadline: 0.3 }))).rejects.toThrow();
    }
  });

  test('a service that calls itself otherwise', async () => {
    service.state.spoil = async (path, response) =>
      path.endsWith('/openid-configuration')
        ? Response.json({ ...((await response.json()) as object), issuer: 'https://evil.example' })
        : undefined;
    await expect(signIn()).rejects.toThrow('calls itself');
  });

  test('a client without the secret', async () => {
    await expect(signIn(create({ clientSecret: null }))).rejects.toThrow();
    await expect(signIn(create({ clientSecret: 'another' }))).rejects.toThrow();
  });
});
