/** `maintenance`: everyone but some networks learns to come back later. */

import { t } from 'elysia';
import { integer } from '../../../shared/integer.ts';
import { defineRecipe } from '../define.ts';
import { guarded } from '../exempt.ts';
import { exemptNetworks, text } from '../fields.ts';
import { respond, typed } from '../respond.ts';

export const maintenance = defineRecipe({
  id: 'maintenance',
  kind: 'policy',
  title: 'Maintenance',
  description:
    'Answers every request with status 503 and a text, except those from exempt networks.',
  fields: t.Object(
    {
      text: t.Optional(
        text({ title: 'Text', description: 'what visitors read; HTML if it begins with <' }),
      ),
      retryAfter: t.Optional(
        integer({
          title: 'Retry after',
          description: 'seconds after which programs should try again',
          minimum: 1,
          maximum: 604_800,
        }),
      ),
      exemptNetworks,
    },
    { additionalProperties: false },
  ),
  needs: {},
  example: { text: 'Back at nine.', retryAfter: 3600, exemptNetworks: ['private_ranges'] },
  write({ text = 'Down for maintenance.', retryAfter, exemptNetworks }, writing) {
    const { lines, matcher } = guarded({ exemptNetworks }, writing);
    return [
      ...lines,
      ...(retryAfter === undefined
        ? []
        : [{ text: `header${matcher} Retry-After ${retryAfter}`, field: 'retryAfter' }]),
      `header${matcher} Cache-Control no-store`,
      ...typed(matcher, text),
      { text: respond(matcher, text, 503), field: 'text' },
    ];
  },
});
