/** `basic-auth`: asks for a user name and a password. */
import { t } from 'elysia';
import { defineRecipe } from '../define.ts';
import { guarded, NO_TUNNEL } from '../exempt.ts';
import { exemptNetworks, exemptPaths } from '../fields.ts';
import { quoted } from '../quote.ts';

export const MAX_USERS = 50;
export const MAX_NAME = 100;

const User = t.Object(
  {
    name: t.String({
      title: 'Name',
      description: 'the name to sign in with',
      format: 'user-name',
      minLength: 1,
      maxLength: MAX_NAME,
    }),
    password: t.Optional(
      t.String({
        title: 'Password',
        description: 'at most 72 bytes; only its hash is stored',
        format: 'password',
        minLength: 1,
        writeOnly: true,
      }),
    ),
    hash: t.Optional(
      t.String({
        title: 'Hash',
        description:
          'instead of the password, its bcrypt hash of cost 14, as `caddy hash-password` prints it',
        format: 'bcrypt',
        writeOnly: true,
      }),
    ),
  },
  { additionalProperties: false },
);

export const basicAuth = defineRecipe({
  id: 'basic-auth',
  kind: 'policy',
  title: 'Password',
  description:
    'The browser asks for a user name and a password. The upstream gets them too, in the Authorization header.',
  fields: t.Object(
    {
      users: t.Array(User, {
        title: 'Users',
        description: 'who gets in',
        minItems: 1,
        maxItems: MAX_USERS,
      }),
      exemptNetworks,
      exemptPaths,
    },
    { additionalProperties: false },
  ),
  needs: { modules: ['http.authentication.providers.http_basic'] },
  example: {
    users: [{ name: 'ada', hash: '$2b$10$3dhAvBeEwNwOVDHSFVj8/Ow1WvMDJUwaIGGktAnAwB8/RIqyE/UKy' }],
    exemptNetworks: ['192.168.1.0/24'],
  },
  write({ users, ...exempt }, writing) {
    const { lines, matcher } = guarded(exempt, writing);
    return [
      ...NO_TUNNEL,
      ...lines,
      `${writing.wording.basicAuth}${matcher} {`,
      ...users.map(({ name, hash }) => ({ text: `\t${quoted(name)} ${hash}`, field: 'users' })),
      '}',
    ];
  },
});
