/** Generates the dashboard's types from the hub's OpenAPI document: `bun run types`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { buildDocument } from '../src/hub/openapi/document.ts';
import { type Document, operationsOf } from '../test/harness/openapi.ts';
import { registered } from '../test/harness/routes.ts';

export const API_TYPES = join(import.meta.dir, '../src/web/lib/api-types.ts');

const BANNER = `/**
 * What the API answers, generated from the OpenAPI document. Do not edit; run \`bun run types\`.
 */`;

/** The schemas of all successful JSON answers as TypeScript source, formatted as Biome would. */
export async function generateApiTypes(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-types-'));
  const document = buildDocument(registered(folder), '') as unknown as Document;
  rmSync(folder, { recursive: true });
  const answers = operationsOf(document).flatMap(({ operation: { operationId, responses } }) => {
    const success = Object.keys(responses).find((status) => status.startsWith('2'));
    const json = responses[success ?? '']?.content['application/json'];
    return json ? [[operationId, json.schema] as const] : [];
  });
  const schema = {
    description: 'The successful answer to each operation.',
    type: 'object',
    required: answers.map(([id]) => id),
    properties: Object.fromEntries(answers),
    components: document.components,
  } as JSONSchema;
  const text = await compile(schema, 'Answers', {
    additionalProperties: false,
    bannerComment: BANNER,
    style: { singleQuote: true, printWidth: 100 },
  });
  return text.replace(/\/\*\*\n +\* (.*)\n +\*\//g, '/** $1 */');
}

if (import.meta.main) await Bun.write(API_TYPES, await generateApiTypes());
