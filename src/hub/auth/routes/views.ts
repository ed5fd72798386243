/** Users and sessions as the API shows them, with examples for its description. */
import { t } from 'elysia';
import { ROLES } from '../../../shared/roles.ts';
import { Timestamp } from '../../http/schemas.ts';
import type { Session, User } from '../sessions/sessions.ts';

export const RoleName = t.UnionEnum([...ROLES], {
  // Else a missing role would be the first.
  default: undefined,
  description:
    '`viewer` by default: looks; `editor` changes sites and policies; `owner` changes everything',
});

export const UserView = t.Object(
  {
    id: t.String(),
    name: t.String(),
    email: t.String(),
    emailVerified: t.Literal(false),
    image: t.Null(),
    role: RoleName,
    twoFactorEnabled: t.Boolean({ description: 'signing in by password needs a code, too' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'User' },
);

export const SessionView = t.Object(
  {
    id: t.String(),
    token: t.String(),
    userId: t.String(),
    expiresAt: Timestamp,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    ipAddress: t.String(),
    userAgent: t.String(),
  },
  { title: 'Session' },
);

/** A user as better-auth shows one. */
export const viewUser = (user: User) => ({
  id: user.id,
  name: user.name,
  email: user.email,
  emailVerified: false as const,
  image: null,
  role: user.role,
  twoFactorEnabled: user.twoFactorEnabled,
  createdAt: user.createdAt.toISOString(),
  updatedAt: user.updatedAt.toISOString(),
});

/** A session with its times as text. */
export const viewSession = <T extends Pick<Session, 'expiresAt' | 'createdAt' | 'updatedAt'>>(
  session: T,
) => ({
  ...session,
  provedAt: undefined,
  expiresAt: session.expiresAt.toISOString(),
  createdAt: session.createdAt.toISOString(),
  updatedAt: session.updatedAt.toISOString(),
});

const AT = '2026-11-20T18:00:00.000Z';

export const CREDENTIALS = { email: 'ada@example.org', password: 'four words of yours' };

export const USER = {
  id: '4f6e2c9b7a1d',
  name: 'Ada',
  email: CREDENTIALS.email,
  emailVerified: false,
  image: null,
  role: 'owner',
  twoFactorEnabled: false,
  createdAt: AT,
  updatedAt: AT,
};

export const SESSION = {
  id: '0b8d5e3f9c27',
  token: 'Jm1vX0Zb0rXlq3yq9c4m0q7k2n8s5t1u6w3x9y2z4a8',
  userId: USER.id,
  expiresAt: '2026-11-27T18:00:00.000Z',
  createdAt: AT,
  updatedAt: AT,
  ipAddress: '192.0.2.7',
  userAgent: 'curl/8.14.1',
};
