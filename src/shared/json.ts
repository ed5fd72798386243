/** Reads JSON of unknown shape. Pure. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** The value of a text; null if it is not JSON. */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value if it is an object, otherwise an empty one. */
export const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** The value if it is an array, otherwise an empty one. */
export const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** A member of an object, or of objects inside of it; undefined if there is none. */
export function field(value: Json | undefined, ...names: readonly string[]): Json | undefined {
  let inner = value;
  for (const name of names) inner = isObject(inner) ? inner[name] : undefined;
  return inner;
}
