/** JSON values, and what is done to schemas before they stand in the document. Pure. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy without symbols, functions and what is undefined. */
export const toJson = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null)) as Json;

/**
 * Takes back what Elysia adds to a schema: to an integer, for the sake of query strings, a union
 * with text that looks like one; and to an object, once its route was asked for the first time,
 * that it has no other fields, although those of a body are passed over.
 */
export function plain(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(plain);
  if (!isObject(schema)) return schema;
  const { anyOf, ...rest } = schema;
  if (Array.isArray(anyOf) && anyOf.length === 2) {
    const [text, number] = anyOf;
    if (isObject(text) && isObject(number) && text.format === 'integer') {
      return { ...rest, ...number };
    }
  }
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== 'additionalProperties' || value !== false)
      .map(([key, value]) => [key, plain(value)]),
  );
}

export type Components = Map<string, JsonObject>;

/**
 * Moves the objects with a title into `components` and leaves references in their place, so that a
 * client has a type for each.
 * @throws Error where two of one title differ
 */
export function hoist(schema: Json, components: Components): Json {
  if (Array.isArray(schema)) return schema.map((one) => hoist(one, components));
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, hoist(value, components)]),
  );
  const { title } = inner;
  if (typeof title !== 'string' || (inner.type !== 'object' && !inner.anyOf)) return inner;
  const known = components.get(title);
  if (known && JSON.stringify(known) !== JSON.stringify(inner)) {
    throw new Error(`two schemas are called ${title}`);
  }
  components.set(title, inner);
  return { $ref: `#/components/schemas/${title}` };
}
