/** `robots`: crawlers get nothing. */
import { t } from 'elysia';
import { defineRecipe } from '../define.ts';
import { status } from '../fields.ts';
import { literally } from '../quote.ts';

/** Those that collect texts to train language models, by the names that their operators publish. */
const NAMES = [
  'GPTBot',
  'CCBot',
  'ClaudeBot',
  'anthropic-ai',
  'Bytespider',
  'meta-externalagent',
  'Amazonbot',
  'Applebot-Extended',
  'Diffbot',
  'PerplexityBot',
  'cohere-ai',
  'ImagesiftBot',
];

export const robots = defineRecipe({
  id: 'robots',
  kind: 'policy',
  title: 'No crawlers',
  description:
    'Refuses crawlers by their User-Agent header: those you name or, by default, those that collect texts to train AI. Crawlers that send a false header are not recognised.',
  fields: t.Object(
    {
      names: t.Optional(
        t.Array(t.String({ minLength: 3, maxLength: 60, pattern: '^[A-Za-z0-9 ._/+()-]+$' }), {
          title: 'Names',
          description: 'parts of the User-Agent header; case does not matter',
          minItems: 1,
          maxItems: 200,
          default: NAMES,
        }),
      ),
      status,
    },
    { additionalProperties: false },
  ),
  needs: {},
  example: { names: ['GPTBot', 'CCBot'] },
  write: ({ names = NAMES, status = 403 }, { prefix }) => [
    {
      text: `${prefix}robots header_regexp User-Agent \`(?i)(?:${names.map(literally).join('|')})\``,
      field: 'names',
    },
    { text: `respond ${prefix}robots ${status}`, field: 'status' },
  ],
});
