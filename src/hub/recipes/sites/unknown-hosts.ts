/** `unknown-hosts`: answers the names that no other site has. */

import { t } from 'elysia';
import { integer } from '../../../shared/integer.ts';
import { defineRecipe } from '../define.ts';
import { flag, text } from '../fields.ts';
import type { Line } from '../recipe.ts';
import { respond, typed } from '../respond.ts';

const MAX_WILDCARDS = 50;

export const unknownHosts = defineRecipe({
  id: 'unknown-hosts',
  kind: 'site',
  title: 'Unknown hosts',
  description:
    'Answers requests for names that no other site has. The text is a whole block with its addresses: the site’s domain is the first of them, such as http://.',
  fields: t.Object(
    {
      everywhere: flag(
        {
          title: 'Every name over HTTP',
          description:
            'whether to answer all names, and addresses; if off, and there are no wildcards, the text is for the domain of the site',
        },
        true,
      ),
      wildcards: t.Optional(
        t.Array(t.String({ format: 'wildcard', maxLength: 253, examples: ['*.home.example'] }), {
          title: 'Wildcards over HTTPS',
          description:
            'the names below which to answer over HTTPS; get a certificate for each first, as from Caddy 2.10 the sites below use it too',
          maxItems: MAX_WILDCARDS,
          uniqueItems: true,
        }),
      ),
      status: t.Optional(
        integer({
          title: 'Status',
          description: 'of the response',
          minimum: 400,
          maximum: 599,
          default: 404,
        }),
      ),
      text: t.Optional(
        text(
          { title: 'Text', description: 'what visitors get; HTML if it begins with <' },
          'textarea',
        ),
      ),
      abort: flag({
        title: 'Close the connection',
        description: 'whether to close the connection instead, without any response',
      }),
    },
    { additionalProperties: false },
  ),
  needs: {},
  example: { wildcards: ['*.home.example'], text: 'There is nothing here.' },
  write({ everywhere = true, wildcards = [], status = 404, text, abort = false }) {
    const answer =
      text === undefined
        ? [{ text: `respond ${status}`, field: 'status' }]
        : [...typed('', text), { text: respond('', text, status), field: 'text' }];
    const lines = abort ? ['abort'] : answer;
    const addresses = [...(everywhere ? ['http://'] : []), ...wildcards];
    if (addresses.length === 0) return lines;
    const inner = [...(everywhere ? redirects(wildcards) : []), ...lines].map((line) =>
      typeof line === 'string' ? `\t${line}` : { ...line, text: `\t${line.text}` },
    );
    return [{ text: `${addresses.join(', ')} {`, field: 'wildcards' }, ...inner, '}'];
  },
});

/** Caddy puts its own redirects behind a site for all hosts if it has all certificates from elsewhere. */
const redirects = (wildcards: readonly string[]): Line[] =>
  wildcards.length === 0
    ? []
    : [
        '@secure {',
        '\tprotocol http',
        { text: `\thost ${wildcards.join(' ')}`, field: 'wildcards' },
        '}',
        'redir @secure https://{http.request.host}{http.request.uri} 308',
      ];
