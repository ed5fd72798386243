/** Generates the forms of channels, which the dashboard takes from no code of the hub: `bun run forms`. */
import { join } from 'node:path';
import type { TSchema } from 'elysia';
import { CHANNEL_KINDS, KINDS } from '../src/features/channels/kinds/kinds.ts';
import { fieldsOf, isOptional } from '../src/features/channels/target.ts';

export const CHANNEL_FORMS = join(import.meta.dir, '../src/features/channels/web/channel-forms.ts');

const BANNER = `/**
 * The form of each kind of channel, generated from src/features/channels/kinds. Do not edit; run \`bun run forms\`.
 */
// biome-ignore-all format: generated`;

/** The forms of the kinds of channels as TypeScript source. */
export function generateChannelForms(): string {
  const forms = CHANNEL_KINDS.map((name) => {
    const kind = KINDS[name];
    const fields = fieldsOf(kind).map(([field, schema]) => {
      const isLeft = isOptional(kind, field);
      return {
        name: field,
        label: schema.title,
        ...inputOf(schema),
        required: !isLeft && !schema.generated,
        removable: isLeft && !schema.enum,
        help: schema.description,
        placeholder: schema.examples?.[0],
        value: schema.default,
      };
    });
    const lines = fields.map((one) => `      ${JSON.stringify(one)},\n`).join('');
    const words = `title: ${JSON.stringify(kind.title)}, what: ${JSON.stringify(kind.description)}`;
    return `  ${name}: {\n    ${words},\n    fields: [\n${lines}    ],\n  },\n`;
  });
  return `${BANNER}\nexport const CHANNEL_FORMS = {\n${forms.join('')}} as const;\n`;
}

function inputOf({ labels, format, writeOnly }: TSchema) {
  if (labels)
    return { options: Object.entries(labels).map(([value, label]) => ({ value, label })) };
  if (format === 'port') return { type: 'number', min: 1, max: 65_535 };
  return { type: writeOnly ? 'password' : 'text' };
}

if (import.meta.main) await Bun.write(CHANNEL_FORMS, generateChannelForms());
