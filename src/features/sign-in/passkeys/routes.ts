/** `/auth/passkey`: the passkeys of an account, wire-compatible with better-auth's plugin. */
import { Elysia, t } from 'elysia';
import { USER } from '../../../hub/auth/routes/views.ts';
import type { ApiCore } from '../../../hub/core.ts';
import { route } from '../../../hub/http/route.ts';
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
    .get(
      '/list-user-passkeys',
      ({ who }) => passkeys.list(who.user.id).map(viewPasskey),
      route({
        id: 'listPasskeys',
        tag: 'Accounts',
        summary: 'List your passkeys',
        access: 'session',
        needs: 'viewer',
        returns: t.Array(PasskeyView),
        example: [PASSKEY],
      }),
    )
    .get(
      '/generate-register-options',
      async ({ query, who, ownCookie }) => {
        const begun = await passkeys.beginRegistration(who, query.authenticatorAttachment);
        ownCookie('passkey_new').write(begun.challenge, SECONDS.passkey_new);
        return begun.options;
      },
      route({
        id: 'beginPasskey',
        tag: 'Accounts',
        summary: 'Begin to add a passkey',
        description:
          'The response is for `navigator.credentials.create`, in the browser that gets the cookie, within five minutes.',
        access: 'session',
        needs: 'viewer',
        fresh: true,
        query: t.Object({
          authenticatorAttachment: t.Optional(t.UnionEnum(['platform', 'cross-platform'])),
        }),
        refuses: ['VALIDATION_ERROR'],
        returns: Options,
        example: {
          challenge: CHALLENGE,
          rp: { id: 'box.example', name: 'signalbox' },
          user: { id: 'NGY2ZTJjOWI3YTFk', name: USER.email, displayName: USER.name },
          pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
        },
        responseHeaders: ['Set-Cookie'],
      }),
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
      route({
        id: 'addPasskey',
        tag: 'Accounts',
        summary: 'Add a passkey',
        access: 'session',
        needs: 'viewer',
        fresh: true,
        body: t.Object(
          { response: RegistrationResponse, name: t.Optional(Name) },
          { title: 'PasskeyRegistration' },
        ),
        refuses: [
          'VALIDATION_ERROR',
          'CHALLENGE_NOT_FOUND',
          'FAILED_TO_VERIFY_REGISTRATION',
          'PREVIOUSLY_REGISTERED',
        ],
        returns: PasskeyView,
        bodies: { phone: { value: { response: REGISTRATION, name: 'Phone' } } },
        example: PASSKEY,
        responseHeaders: ['Set-Cookie'],
      }),
    )
    .post(
      '/update-passkey',
      ({ body, who }) => ({ passkey: viewPasskey(passkeys.rename(who, body.id, body.name)) }),
      route({
        id: 'renamePasskey',
        tag: 'Accounts',
        summary: 'Rename a passkey',
        access: 'session',
        needs: 'viewer',
        body: t.Object({ id: t.String(), name: Name }, { title: 'PasskeyName' }),
        refuses: ['VALIDATION_ERROR', 'NOT_FOUND'],
        returns: t.Object({ passkey: PasskeyView }, { title: 'PasskeyRenamed' }),
        bodies: { phone: { value: { id: PASSKEY.id, name: 'Phone' } } },
        example: { passkey: PASSKEY },
      }),
    )
    .post(
      '/delete-passkey',
      ({ body, who }) => {
        passkeys.remove(who, body.id);
        return { status: true as const };
      },
      route({
        id: 'deletePasskey',
        tag: 'Accounts',
        summary: 'Remove a passkey',
        description: 'Ends all other sessions.',
        access: 'session',
        needs: 'viewer',
        fresh: true,
        body: t.Object({ id: t.String() }, { title: 'PasskeyId' }),
        refuses: ['VALIDATION_ERROR', 'NOT_FOUND'],
        returns: t.Object({ status: t.Literal(true) }, { title: 'PasskeyDeleted' }),
        bodies: { phone: { value: { id: PASSKEY.id } } },
        example: { status: true },
      }),
    );
}
