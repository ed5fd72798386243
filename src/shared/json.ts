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

/** All values in another one, itself included, in no order: each with its name, and that of its list in a list. */
export function* valuesIn(root: Json): Generator<[value: Json, name: string]> {
  const left: [value: Json, name: string][] = [[root, '']];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    yield next;
    const [value, name] = next;
    if (Array.isArray(value)) for (const item of value) left.push([item, name]);
    else if (isObject(value)) {
      for (const inner of Object.keys(value)) left.push([value[inner] ?? null, inner]);
    }
  }
}
