/** Access to parts of a document that TypeScript sees as plain JSON. Pure. */
import { isObject, type Json, type JsonObject, object } from '../../shared/json.ts';

export type LocatedOperation = { method: string; path: string; operation: JsonObject };

/** The value if it has this type, else an empty one; so is `list`. */
export const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
export const list = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** The first media type of a body or a response, and its description; '' if there is none. */
export const mediaOf = (holder: JsonObject): [string, JsonObject] => {
  const [type, media] = Object.entries(object(holder.content))[0] ?? ['', {}];
  return [type, object(media)];
};

export const operationsOf = (document: JsonObject): LocatedOperation[] =>
  Object.entries(object(document.paths)).flatMap(([path, methods]) =>
    Object.entries(object(methods)).map(([method, operation]) => ({
      method,
      path,
      operation: object(operation),
    })),
  );
