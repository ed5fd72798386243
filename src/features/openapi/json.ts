/** Prepares schemas for the document. Pure. */
import { isObject, type Json, type JsonObject } from '../../shared/json.ts';

/** A copy without symbols, functions and undefined values. */
export const toJson = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null)) as Json;

/**
 * Removes what Elysia adds to a schema: an object, after the first request to its route, gets
 * `additionalProperties: false`, although unknown fields of a body are ignored.
 */
export function plain(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(plain);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== 'additionalProperties' || value !== false)
      .map(([key, value]) => [key, plain(value)]),
  );
}

export type Components = Map<string, JsonObject>;

/**
 * Moves objects with a title into `components` and replaces them with references, so that clients
 * get a named type for each.
 * @throws Error if two different schemas have the same title
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
    throw new Error(`two different schemas are called ${title}`);
  }
  components.set(title, inner);
  return { $ref: `#/components/schemas/${title}` };
}
