/** `/auth/prove`: proving again who one is, by the password or by what a feature accepts instead. */
import { Elysia, t } from 'elysia';
import { Failure } from '../../../shared/failure.ts';
import { jsonBody } from '../../../shared/json-body.ts';
import { route } from '../../http/route.ts';
import { Timestamp } from '../../http/schemas.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Proof } from '../beside-passwords.ts';
import type { AuthContext } from './context.ts';
import { CREDENTIALS } from './views.ts';

const Password = t.String({ minLength: 1 });

const byPassword = ({ assertPassword }: Accounts): Proof<typeof Password> => ({
  field: 'password',
  schema: Password,
  name: 'a password',
  example: { value: CREDENTIALS.password },
  refusals: ['INVALID_PASSWORD', 'RATE_LIMITED'],
  check: assertPassword,
});

/** @param proofs those of features */
export function proveRoutes(deps: AuthContext & { proofs: readonly Proof[] }) {
  const { accounts, guard, cookies, bodyLimit } = deps;
  const proofs: readonly Proof[] = [byPassword(accounts), ...deps.proofs];
  const fields = proofs.map(({ field, schema }) => [field, t.Optional(schema)]);
  const bodies = proofs.map(({ field, example: { value, ...example } }) => [
    field,
    { ...example, value: { [field]: value } },
  ]);
  return new Elysia({ name: 'prove', prefix: '/auth' })
    .use(cookies)
    .use(guard)
    .use(jsonBody(bodyLimit))
    .post(
      '/prove',
      async ({ body, who, ownCookie }) => {
        const given: Record<string, unknown> = body;
        const [one, ...others] = proofs.filter(({ field }) => given[field] !== undefined);
        if (!one || others.length > 0) throw oneOf(proofs);
        await one.check(who, given[one.field], ownCookie);
        return { freshUntil: accounts.prove(who).toISOString() };
      },
      route({
        id: 'prove',
        tag: 'Accounts',
        summary: 'Prove who you are again',
        description:
          'For an hour, this session may then change who may do what: accounts, roles, tokens, agents and channels.',
        access: 'session',
        needs: 'viewer',
        body: t.Object(Object.fromEntries(fields), {
          title: 'Proof',
          description: 'exactly one of them',
        }),
        refuses: ['VALIDATION_ERROR', ...proofs.flatMap((proof) => proof.refusals)],
        returns: t.Object({ freshUntil: Timestamp }, { title: 'Proved' }),
        bodies: Object.fromEntries(bodies),
        example: { freshUntil: '2026-11-20T19:00:00.000Z' },
      }),
    );
}

/** `Send a password, a code or a passkey’s response, and only one of them.` */
function oneOf(proofs: readonly Proof[]): Failure {
  const names = proofs.map(({ name }) => name);
  const last = names.pop();
  const all = names.length === 0 ? last : `${names.join(', ')} or ${last}, and only one of them`;
  return new Failure('VALIDATION_ERROR', `Send ${all}.`);
}
