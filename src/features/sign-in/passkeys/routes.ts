/** `/auth/passkey`: the passkeys of an account, wire-compatible with better-auth's plugin. */
import { Elysia, t } from 'elysia';
import { USER } from '../../../hub/auth/routes/views.ts';
import type { ApiCore } from '../../../hub/core.ts';
import { about } from '../../../hub/http/about.ts';
import { BODY, refusals, WRITES } from '../../../hub/http/refusal-schemas.ts';
import { jsonBody } from '../../../shared/json-body.ts';
import { SECONDS } from '../challenges.ts';
import type { Passkeys } from './passkeys.ts';
import {
  CHALLENGE,
  PASSKEY,
  PasskeyView,
  REGISTRATION,
  RegistrationResponse,
  viewPasskey,
} from './views.ts';

const Name = t.String({ maxLength: 100 });

const Options = t.Object(
  {
    challenge: t.String(),
    rp: t.Object({ id: t.Optional(t.String()), name: t.String() }),
    user: t.Object({ id: t.String(), name: t.String(), displayName: t.String() }),
    pubKeyCredParams: t.Array(t.Object({ type: t.String(), alg: t.Number() })),
  },
  { title: 'RegistrationOptions', additionalProperties: true },
);

export function passkeyRoutes({ sessionGuard, bodyLimit }: ApiCore, passkeys: Passkeys) {
  return new Elysia({ name: 'passkeys', prefix: '/auth/passkey' })
    .use(sessionGuard)
    .get('/list-user-passkeys', ({ who }) => passkeys.list(who.user.id).map(viewPasskey), {
      response: { 200: t.Array(PasskeyView), ...refusals(...WRITES) },
      detail: about({
        id: 'listPasskeys',
        tag: 'Accounts',
        summary: 'List your passkeys',
        access: 'session',
        needs: 'viewer',
        example: [PASSKEY],
      }),
    })
    .get(
      '/generate-register-options',
      async ({ query, who, ownCookie }) => {
        const begun = await passkeys.beginRegistration(who, query.authenticatorAttachment);
        ownCookie('passkey_new').write(begun.challenge, SECONDS.passkey_new);
        return begun.options;
      },
      {
        query: t.Object({
          authenticatorAttachment: t.Optional(t.UnionEnum(['platform', 'cross-platform'])),
        }),
        response: { 200: Options, ...refusals(...WRITES, 'SESSION_NOT_FRESH', 'VALIDATION_ERROR') },
        detail: about({
          id: 'beginPasskey',
          tag: 'Accounts',
          summary: 'Begin to add a passkey',
          description:
            'The response is for `navigator.credentials.create`, in the browser that gets the cookie, within five minutes.',
          access: 'session',
          needs: 'viewer',
          fresh: true,
          example: {
            challenge: CHALLENGE,
            rp: { id: 'box.example', name: 'signalbox' },
            user: { id: 'NGY2ZTJjOWI3YTFk', name: USER.email, displayName: USER.name },
            pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
          },
          responseHeaders: ['Set-Cookie'],
        }),
      },
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/verify-registration',
      async ({ body, who, ownCookie }) => {
        const cookie = ownCookie('passkey_new');
        const answer = { response: body.response, challenge: cookie.value };
        const passkey = await passkeys.register(who, answer, body.name ?? '');
        cookie.expire();
        return viewPasskey(passkey);
      },
      {
        body: t.Object(
          { response: RegistrationResponse, name: t.Optional(Name) },
          { title: 'PasskeyRegistration' },
        ),
        response: {
          200: PasskeyView,
          ...refusals(
            ...([...WRITES, ...BODY, 'SESSION_NOT_FRESH', 'VALIDATION_ERROR'] as const),
            'CHALLENGE_NOT_FOUND',
            'FAILED_TO_VERIFY_REGISTRATION',
            'PREVIOUSLY_REGISTERED',
          ),
        },
        detail: about({
          id: 'addPasskey',
          tag: 'Accounts',
          summary: 'Add a passkey',
          access: 'session',
          needs: 'viewer',
          fresh: true,
          bodies: { phone: { value: { response: REGISTRATION, name: 'Phone' } } },
          example: PASSKEY,
          responseHeaders: ['Set-Cookie'],
        }),
      },
    )
    .post(
      '/update-passkey',
      ({ body, who }) => ({ passkey: viewPasskey(passkeys.rename(who, body.id, body.name)) }),
      {
        body: t.Object({ id: t.String(), name: Name }, { title: 'PasskeyName' }),
        response: {
          200: t.Object({ passkey: PasskeyView }, { title: 'PasskeyRenamed' }),
          ...refusals(...WRITES, ...BODY, 'VALIDATION_ERROR', 'NOT_FOUND'),
        },
        detail: about({
          id: 'renamePasskey',
          tag: 'Accounts',
          summary: 'Rename a passkey',
          access: 'session',
          needs: 'viewer',
          bodies: { phone: { value: { id: PASSKEY.id, name: 'Phone' } } },
          example: { passkey: PASSKEY },
        }),
      },
    )
    .post(
      '/delete-passkey',
      ({ body, who }) => {
        passkeys.remove(who, body.id);
        return { status: true as const };
      },
      {
        body: t.Object({ id: t.String() }, { title: 'PasskeyId' }),
        response: {
          200: t.Object({ status: t.Literal(true) }, { title: 'PasskeyDeleted' }),
          ...refusals(...WRITES, ...BODY, 'SESSION_NOT_FRESH', 'VALIDATION_ERROR', 'NOT_FOUND'),
        },
        detail: about({
          id: 'deletePasskey',
          tag: 'Accounts',
          summary: 'Remove a passkey',
          description: 'Ends all other sessions.',
          access: 'session',
          needs: 'viewer',
          fresh: true,
          bodies: { phone: { value: { id: PASSKEY.id } } },
          example: { status: true },
        }),
      },
    );
}
