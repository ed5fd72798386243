/** Ways into a document whose form is known, but not to the types. Pure. */
import { isObject, type Json, type JsonObject } from './json.ts';

/** An operation and where it is. */
export type Placed = { method: string; path: string; operation: JsonObject };

export const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
export const list = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
export const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** The first media type of a body or an answer, and what is told of it; '' where there is none. */
export const mediaOf = (holder: JsonObject): [string, JsonObject] => {
  const [type, media] = Object.entries(object(holder.content))[0] ?? ['', {}];
  return [type, object(media)];
};

export const operationsOf = (document: JsonObject): Placed[] =>
  Object.entries(object(document.paths)).flatMap(([path, methods]) =>
    Object.entries(object(methods)).map(([method, operation]) => ({
      method,
      path,
      operation: object(operation),
    })),
  );
