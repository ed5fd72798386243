/** Reads JSON of unknown shape. Pure. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** The value if it is an object, otherwise an empty one. */
export const object = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

/** A member of an object; undefined for anything else. */
export const field = (value: Json | undefined, name: string): Json | undefined =>
  object(value)[name];
