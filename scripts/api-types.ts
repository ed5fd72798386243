/** Generates what the dashboard knows of the hub, types of answers and forms of channels: `bun run types`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TSchema } from 'elysia';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { CHANNEL_KINDS, KINDS } from '../src/features/channels/kinds/kinds.ts';
import { fieldsOf, isOptional } from '../src/features/channels/target.ts';
import { buildDocument } from '../src/features/openapi/document.ts';
import { type Document, operationsOf } from '../test/harness/openapi.ts';
import { registered } from '../test/harness/routes.ts';

export const API_TYPES = join(import.meta.dir, '../src/web/lib/api-types.ts');
export const CHANNEL_FORMS = join(import.meta.dir, '../src/features/channels/web/channel-forms.ts');

const BANNER = `/**
 * What the API answers, generated from the OpenAPI document. Do not edit; run \`bun run types\`.
 */`;

/** Where the document describes what several answers contain; each becomes one type of that name. */
const SHARED: Readonly<Record<string, string>> = {
  Timestamp: 'Vhost.createdAt',
  Values: 'Policy.values',
  Check: 'Vhost.check',
  VhostName: 'Problem.vhost',
  Advice: 'Certificate.advice',
  Authority: 'Certificate.authority',
  LastErrors: 'VhostState.errors',
  LastError: 'VhostState.errors.acme',
  OneState: 'VhostState.agents',
  Address: 'VhostState.addresses',
  Upstream: 'VhostState.upstreams',
  Activity: 'VhostActivity.vhosts',
  Bucket: 'LogStats.buckets',
  Proxy: 'Status.proxy',
  Serving: 'Status.serving',
  Listening: 'Status.serving.http',
  EventName: 'Event.event',
  Level: 'Problem.level',
  QuietHours: 'Channel.quiet',
  SnapshotSite: 'Snapshot.vhosts',
  ReplayGroup: 'ReplayState.groups',
  Reply: 'ReplayState.groups.before',
};

type Schema = { [key: string]: unknown } & {
  properties?: Schemas;
  required?: string[];
  items?: Schema;
  description?: string;
};
type Schemas = { [name: string]: Schema };

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapValues = (of: Schemas, change: (schema: Schema) => Schema): Schemas =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value)]));

/** The types that a schema allows, each as a schema. */
function alternatives({ type, anyOf, ...rest }: Schema): Schema[] {
  if (Array.isArray(anyOf)) return anyOf.map((one: Schema) => ({ ...rest, ...one }));
  return [type].flat().map((one) => (one === 'null' ? { type: one } : { ...rest, type: one }));
}

/** The schema without null. */
function present(schema: Schema): Schema {
  const all = alternatives(schema).filter(({ type }) => type !== 'null');
  const names = all.flatMap((one) => ('const' in one ? [one.const] : []));
  if (names.length === all.length) return { type: 'string', enum: names };
  return all.length === 1 ? { ...all[0] } : schema;
}

/** The same for schemas that differ only in words, limits and null, which a named type has not. */
const keyOf = (schema: Schema): string =>
  JSON.stringify(present(schema), (key, value: unknown) => {
    if (/^(title|description|examples?|default|pattern|m(in|ax)[A-Z].*)$/.test(key)) return;
    return isObject(value) ? Object.fromEntries(Object.entries(value).toSorted()) : value;
  });

const referenceTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

function schemaAt(components: Schemas, place: string): Schema {
  let found: Schema = { properties: components };
  for (const key of place.split('.')) {
    const next = found.properties?.[key];
    if (!next) throw new Error(`The document has no ${place}.`);
    found = next.items ?? next;
  }
  return found;
}

/** The components and those of `SHARED`, with a reference wherever one of these occurs. */
function withReferences(components: Schemas): Schemas {
  const shared = Object.fromEntries(
    Object.entries(SHARED).map(([name, place]) => [name, schemaAt(components, place)]),
  );
  const names = new Map(Object.entries(shared).map(([name, schema]) => [keyOf(schema), name]));

  function refer(schema: Schema): Schema {
    const name = names.get(keyOf(schema));
    if (name === undefined) return inside(schema);
    const { description } = schema;
    const isSaid = description === undefined || description === shared[name]?.description;
    return {
      ...(!isSaid && { description }),
      anyOf: [referenceTo(name), ...alternatives(schema).filter(({ type }) => type === 'null')],
    };
  }
  const inside = ({ properties, items, ...schema }: Schema): Schema => ({
    ...schema,
    ...(properties && { properties: mapValues(properties, refer) }),
    ...(items && { items: refer(items) }),
  });

  const own = Object.entries(shared).map(([title, schema]) => {
    const { description } = schema;
    return [title, { ...inside(present(schema)), ...(description && { description }), title }];
  });
  const all: Schemas = { ...mapValues(components, inside), ...Object.fromEntries(own) };
  return mapValues(all, (schema) => extended(schema, all));
}

/** As an addition to the largest other one whose fields it has as well, if there is one. */
function extended(schema: Schema, all: Schemas): Schema {
  const fieldsOf = ({ properties = {}, required = [] }: Schema) =>
    Object.entries(properties).map(([key, field]) =>
      JSON.stringify([key, required.includes(key), field]),
    );
  const own = new Set(fieldsOf(schema));
  const [base] = Object.entries(all)
    .map(([name, one]) => ({ name, fields: fieldsOf(one), properties: one.properties ?? {} }))
    .filter(({ fields }) => fields.length > 2 && fields.length < own.size)
    .filter(({ fields }) => fields.every((field) => own.has(field)))
    .toSorted((a, b) => b.fields.length - a.fields.length);
  if (!base) return schema;
  const isAdded = (key: string) => !(key in base.properties);
  const added = Object.entries(schema.properties ?? {}).filter(([key]) => isAdded(key));
  return {
    ...schema,
    extends: referenceTo(base.name),
    properties: Object.fromEntries(added),
    required: (schema.required ?? []).filter(isAdded),
  };
}

/** The schemas of all successful JSON answers as TypeScript source, formatted as Biome would. */
export async function generateApiTypes(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-types-'));
  const document = buildDocument(registered(folder), '') as unknown as Document;
  rmSync(folder, { recursive: true });
  const answers = operationsOf(document).flatMap(({ operation: { operationId, responses } }) => {
    const success = Object.keys(responses).find((status) => status.startsWith('2'));
    const json = responses[success ?? '']?.content?.['application/json'];
    return json ? [[operationId, json.schema] as const] : [];
  });
  const schema = {
    description: 'The successful answer to each operation.',
    type: 'object',
    required: answers.map(([id]) => id),
    properties: Object.fromEntries(answers),
    components: { schemas: withReferences(document.components.schemas as Schemas) },
  } as JSONSchema;
  const text = await compile(schema, 'Answers', {
    additionalProperties: false,
    bannerComment: BANNER,
    // Otherwise a list of at most five is six tuples.
    maxItems: -1,
    style: { singleQuote: true, printWidth: 100 },
  });
  return text
    .replace(/\/\*\*\n \* The successful answer[\s\S]*?\n}\n/, '')
    .replace(/ *\/\*\*\n +\* This interface was referenced by [^/]*\*\/\n/g, '')
    .replace(/\/\*\*\n +\* (.*)\n +\*\//g, '/** $1 */');
}

const FORMS_BANNER = `/**
 * The form of each kind of channel, generated from src/features/channels/kinds. Do not edit; run \`bun run types\`.
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
        type: inputOf(schema),
        required: !isLeft && !schema.generated,
        removable: isLeft && !schema.enum,
        help: schema.description,
        placeholder: schema.examples?.[0],
        initial: schema.default,
        choices: schema.labels && Object.entries(schema.labels),
      };
    });
    const lines = fields.map((one) => `      ${JSON.stringify(one)},\n`).join('');
    const words = `title: ${JSON.stringify(kind.title)}, what: ${JSON.stringify(kind.description)}`;
    return `  ${name}: {\n    ${words},\n    fields: [\n${lines}    ],\n  },\n`;
  });
  return `${FORMS_BANNER}\nexport const CHANNEL_FORMS = {\n${forms.join('')}} as const;\n`;
}

function inputOf({ enum: names, format, writeOnly }: TSchema) {
  if (names) return 'choice';
  if (format === 'port') return 'port';
  return writeOnly ? 'password' : 'text';
}

if (import.meta.main) {
  await Bun.write(API_TYPES, await generateApiTypes());
  await Bun.write(CHANNEL_FORMS, generateChannelForms());
}
