/** `/security-log`: who signed in, who was refused, and who changed who may do what; `/sign-ins`: only sign-ins. */
import { Elysia, t } from 'elysia';
import { integer } from '../../../shared/integer.ts';
import type { Db } from '../../db/open.ts';
import { route } from '../../http/route.ts';
import { Timestamp } from '../../http/schemas.ts';
import type { Guard } from '../guard.ts';
import {
  KINDS,
  OUTCOMES,
  PAGE_SIZE,
  readSecurityLog,
  type SecurityEntry,
} from '../security-log.ts';
import { USER } from './views.ts';

const Kind = t.Union(KINDS.map((kind) => t.Literal(kind)));
const Before = t.Optional(
  t.String({
    pattern: '^([1-9][0-9]{0,14}|\\d{4}-\\d{2}-\\d{2}T[\\d:.]{5,12}Z)?$',
    description: 'Only entries with a smaller id, or from before this time: the next page.',
    example: '51',
  }),
);
const Outcome = t.UnionEnum([...OUTCOMES], {
  description:
    '`half`: the password was right, and a second factor is missing; `locked`: too many had failed, at most one entry per address and minute',
});
const [Ip, UserAgent] = [t.String(), t.String()];

export const SecurityEntryView = t.Object(
  {
    id: integer(),
    at: Timestamp,
    kind: t.UnionEnum([...KINDS]),
    actor: t.Union([t.String(), t.Null()], {
      description: 'the id of an account, or `local` for the command line; null: nobody known',
    }),
    actorName: t.String({ description: 'or the email address that was given' }),
    via: t.Union([t.String(), t.Null()], { description: 'the name of the API token' }),
    target: t.String({ description: 'what it was done to, such as an email address or a name' }),
    ip: Ip,
    userAgent: UserAgent,
    outcome: Outcome,
    detail: t.String({ description: 'one or two words more' }),
  },
  { title: 'SecurityEntry' },
);

const METHODS = ['password', 'totp', 'recovery', 'passkey', 'oidc'] as const;
const SignInView = t.Object(
  {
    at: Timestamp,
    email: t.String({ description: 'as it was given' }),
    userId: t.Union([t.String(), t.Null()], { description: 'null: there is no such account' }),
    method: t.UnionEnum([...METHODS]),
    ip: Ip,
    userAgent: UserAgent,
    outcome: Outcome,
  },
  { title: 'SignInEntry' },
);

const CLIENT = { ip: '192.0.2.7', userAgent: 'curl/8.14.1' };
const AT = '2026-11-20T18:00:00.000Z';

const viewEntry = ({ at, ...entry }: SecurityEntry) => ({ ...entry, at: at.toISOString() });

const viewSignIn = ({ at, target, actor, detail, ip, userAgent, outcome }: SecurityEntry) => ({
  at: at.toISOString(),
  email: target,
  userId: actor,
  method: detail as (typeof METHODS)[number],
  ip,
  userAgent,
  outcome,
});

export function securityRoutes({ db, guard }: { db: Db; guard: Guard }) {
  return new Elysia({ name: 'security' })
    .use(guard)
    .get(
      '/security-log',
      ({ query: { kind, before } }) =>
        readSecurityLog(db, { kind: kind || undefined, before }).map(viewEntry),
      route({
        id: 'listSecurityLog',
        tag: 'Accounts',
        summary: `List who signed in, was refused, or changed who may do what, newest first, ${PAGE_SIZE} per page`,
        description:
          'Kept for a year, but at most 10,000 entries: those that displace others displace the oldest of whoever made most. Somebody who is refused the same again has one entry per minute.',
        access: 'read',
        needs: 'owner',
        query: t.Object({
          kind: t.Optional(
            t.Union([t.Literal(''), Kind], { description: 'Only of this kind.', example: 'token' }),
          ),
          before: Before,
        }),
        returns: t.Array(SecurityEntryView),
        example: [
          {
            id: 1,
            at: AT,
            kind: 'token',
            actor: USER.id,
            actorName: USER.name,
            via: null,
            target: 'backup',
            ...CLIENT,
            outcome: 'ok',
            detail: 'created: read',
          },
        ],
      }),
    )
    .get(
      '/sign-ins',
      ({ query: { before } }) => readSecurityLog(db, { kind: 'sign-in', before }).map(viewSignIn),
      route({
        id: 'listSignIns',
        tag: 'Accounts',
        summary: `List the sign-ins of all accounts, newest first, ${PAGE_SIZE} per page`,
        access: 'read',
        needs: 'owner',
        query: t.Object({ before: Before }),
        returns: t.Array(SignInView),
        example: [
          {
            at: AT,
            email: USER.email,
            userId: USER.id,
            method: 'password',
            ...CLIENT,
            outcome: 'ok',
          },
        ],
      }),
    );
}
