/** `authentik`: signs people in with authentik. */
import { t } from 'elysia';
import { exemptCertificates, exemptTls } from '../client-auth.ts';
import { defineRecipe } from '../define.ts';
import { exemptNetworks, exemptPaths, upstream } from '../fields.ts';
import { asking, stripping } from '../forward-auth.ts';

/** As authentik's documentation of forward authentication with Caddy has them. */
const OUTPOST = '/outpost.goauthentik.io';
const HEADERS = [
  'Username',
  'Groups',
  'Entitlements',
  'Email',
  'Name',
  'Uid',
  'Jwt',
  'Meta-Jwks',
  'Meta-Outpost',
  'Meta-Provider',
  'Meta-App',
  'Meta-Version',
].map((name) => `X-Authentik-${name}`);

export const authentik = defineRecipe({
  id: 'authentik',
  kind: 'policy',
  title: 'authentik',
  description:
    'Visitors sign in with authentik. Headers that begin with X-Authentik- tell the upstream who they are. If authentik is down, nobody gets in.',
  fields: t.Object(
    {
      address: upstream({
        title: 'Address',
        description: 'where authentik or its outpost listens, such as localhost:9000',
      }),
      exemptNetworks,
      exemptPaths,
      exemptCertificates,
    },
    { additionalProperties: false },
  ),
  needs: { modules: ['http.handlers.reverse_proxy'] },
  example: { address: 'localhost:9000', exemptPaths: ['/api/*'] },
  writeSite: exemptTls,
  write: (values, writing) => [
    ...stripping(HEADERS),
    // Signing in and out happens on the site's own domain.
    { text: `reverse_proxy ${OUTPOST}/* ${values.address}`, field: 'address' },
    ...asking({ ...values, uri: `${OUTPOST}/auth/caddy`, copyHeaders: HEADERS }, writing),
  ],
});
