/** Passkeys, and what browsers and authenticators exchange, as the API shows them. */
import { type Static, t } from 'elysia';
import { USER } from '../../../hub/auth/routes/views.ts';
import { Timestamp } from '../../../hub/http/schemas.ts';
import type { Passkey } from './passkeys.ts';

export const PasskeyView = t.Object(
  {
    id: t.String(),
    name: t.String(),
    userId: t.String(),
    publicKey: t.String({ description: 'COSE, in Base64' }),
    credentialID: t.String(),
    counter: t.Number(),
    deviceType: t.String(),
    backedUp: t.Boolean({ description: 'synchronised by its provider' }),
    transports: t.String({ description: 'separated by commas' }),
    aaguid: t.String({ description: 'the model of the authenticator' }),
    createdAt: Timestamp,
    lastUsedAt: t.Union([Timestamp, t.Null()]),
  },
  { title: 'Passkey' },
);
export type PasskeyView = Static<typeof PasskeyView>;

/** A passkey as better-auth shows one, and when it was last used. */
export const viewPasskey = ({ credentialId, ...one }: Passkey) => ({
  ...one,
  credentialID: credentialId,
  publicKey: one.publicKey.toString('base64'),
  transports: one.transports.join(','),
  createdAt: one.createdAt.toISOString(),
  lastUsedAt: one.lastUsedAt?.toISOString() ?? null,
});

const Text = t.String({ maxLength: 16_384 });

const CREDENTIAL = {
  id: Text,
  rawId: Text,
  type: t.Literal('public-key'),
  authenticatorAttachment: t.Optional(t.UnionEnum(['platform', 'cross-platform'])),
};

/** `PublicKeyCredential.toJSON()` of a registration. */
export const RegistrationResponse = t.Object(
  {
    ...CREDENTIAL,
    response: t.Object({
      clientDataJSON: Text,
      attestationObject: Text,
      transports: t.Optional(t.Array(t.String({ maxLength: 32 }), { maxItems: 10 })),
    }),
  },
  { title: 'RegistrationResponse' },
);

/** The same of an authentication. */
export const AuthenticationResponse = t.Object(
  {
    ...CREDENTIAL,
    response: t.Object({
      clientDataJSON: Text,
      authenticatorData: Text,
      signature: Text,
      userHandle: t.Optional(t.String({ maxLength: 128 })),
    }),
  },
  { title: 'AuthenticationResponse' },
);

/** Refusals of routes that take a passkey's response. */
export const WRONG_PASSKEY = [
  'VALIDATION_ERROR',
  'CHALLENGE_NOT_FOUND',
  'PASSKEY_NOT_FOUND',
  'AUTHENTICATION_FAILED',
  'RATE_LIMITED',
] as const;

export const CHALLENGE = 'k3VY0Kx1p2mB8f7dZ0sQeJt6wUa4nRg9hLc5oIi2yDE';
const ID = 'q8mCkq0yJmQ2o1m1mC4u2A';

export const PASSKEY = {
  id: '5d1c0c2e-8e5b-4a37-9f5e-2c6f5f7d9a10',
  name: 'Phone',
  userId: USER.id,
  publicKey: 'pQECAyYgASFYIA==',
  credentialID: ID,
  counter: 0,
  deviceType: 'multiDevice',
  backedUp: true,
  transports: 'internal,hybrid',
  aaguid: '00000000-0000-0000-0000-000000000000',
  createdAt: USER.createdAt,
  lastUsedAt: null,
};

const SIGNED = { id: ID, rawId: ID, type: 'public-key' };
export const REGISTRATION = {
  ...SIGNED,
  response: { clientDataJSON: 'eyJ0eXBlIjoi…', attestationObject: 'o2NmbXRk…' },
};
export const AUTHENTICATION = {
  ...SIGNED,
  response: {
    clientDataJSON: 'eyJ0eXBlIjoi…',
    authenticatorData: 'SZYN5YgO…',
    signature: 'MEUCIQDx…',
  },
};
