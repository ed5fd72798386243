/** `redirect`: sends visitors to another address. */
import { t } from 'elysia';
import { defineRecipe } from '../define.ts';
import { flag } from '../fields.ts';

export const redirect = defineRecipe({
  id: 'redirect',
  kind: 'site',
  title: 'Redirect',
  description: 'Sends visitors to another address.',
  fields: t.Object(
    {
      to: t.String({
        title: 'To',
        description: 'the address to send visitors to',
        format: 'target',
        maxLength: 1_000,
        examples: ['https://www.example.org'],
      }),
      keepPath: flag(
        { title: 'Keep the path', description: 'whether to append the requested path and query' },
        true,
      ),
      permanent: flag({
        title: 'Permanent',
        description: 'whether browsers may remember it for good; this cannot be undone',
      }),
    },
    { additionalProperties: false },
  ),
  needs: {},
  example: { to: 'https://www.example.org' },
  write({ to, keepPath = true, permanent = false }) {
    const target = keepPath ? `${to.replace(/\/+$/, '')}{uri}` : to;
    // These two keep the method, so that forms arrive.
    return [{ text: `redir ${target} ${permanent ? 308 : 307}`, field: 'to' }];
  },
});
