/** `maintenance`: everyone but some networks is told to come back later. */
import { t } from 'elysia';
import { defineRecipe } from '../define.ts';
import { quoted } from '../quote.ts';

export const maintenance = defineRecipe({
  id: 'maintenance',
  kind: 'policy',
  title: 'Maintenance',
  description: 'Answers every request with 503 and a text, except from the networks named.',
  fields: t.Object({
    text: t.Optional(
      t.String({ title: 'Text', description: 'what visitors read', maxLength: 2000 }),
    ),
  }),
  needs: {},
  example: { text: 'Back at nine.' },
  write: ({ text = 'Down for maintenance.' }) => [
    { text: `respond ${quoted(text)} 503`, field: 'text' },
  ],
});
