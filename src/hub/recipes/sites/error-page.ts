/** `error-page`: forwards to a service, and shows a text of its own if that is down. */
import { t } from 'elysia';
import { defineRecipe } from '../define.ts';
import { dialled, siteUpstream, text } from '../fields.ts';
import { respond, typed } from '../respond.ts';

export const errorPage = defineRecipe({
  id: 'error-page',
  kind: 'site',
  title: 'Service with an error page',
  description:
    'Forwards every request to a service. If it does not answer, visitors get your own page.',
  fields: t.Object(
    {
      address: siteUpstream,
      text: text(
        { title: 'Page', description: 'what visitors get; HTML if it begins with <' },
        'textarea',
      ),
    },
    { additionalProperties: false },
  ),
  needs: { modules: ['http.handlers.reverse_proxy'] },
  example: { address: 'localhost:3000', text: '<h1>Back soon</h1>' },
  write: ({ address, text }) => [
    { text: `reverse_proxy ${dialled(address)}`, field: 'address' },
    'handle_errors {',
    ...typed('', text).map((line) => `\t${line}`),
    { text: `\t${respond('', text, '{http.error.status_code}')}`, field: 'text' },
    '}',
  ],
});
