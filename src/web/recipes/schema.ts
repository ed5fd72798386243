/** The hub’s recipes, and a recipe’s JSON Schema as far as its form is made from it. */
import { get, request } from '../lib/api.ts';
import type { Recipe as Answered } from '../lib/types.ts';
import { type Loaded, useLoad } from '../lib/use-load.ts';

export type JsonSchema = {
  type?: string;
  title?: string;
  description?: string;
  format?: string;
  /** What applies if the value is left out. */
  default?: unknown;
  enum?: readonly unknown[];
  examples?: readonly unknown[];
  /** A secret: never shown again. */
  writeOnly?: boolean;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
};

export type Values = Record<string, unknown>;

/** What was refused: `field` is the path of a value, such as `users.0.password`. */
export type Fault = { field: string; message: string };

export type FieldProps = {
  schema: JsonSchema;
  /** The label. */
  name: string;
  isRequired: boolean;
  value: unknown;
  /** The value as the hub has it; undefined for a new one. */
  stored?: unknown;
  /** With the path inside the value; empty if it is the value itself. */
  fault: Fault | null;
  /** Called with undefined if nothing is filled in. */
  onChange: (value: unknown) => void;
};

type NamedField = { name: string; schema: JsonSchema; isRequired: boolean };

/** The fields of a form, in order; hashes are for programs, so they are left out. */
export const fieldsOf = ({ properties = {}, required = [] }: JsonSchema): NamedField[] =>
  Object.entries(properties)
    .filter(([, { format }]) => format !== 'bcrypt')
    .map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }));

/** The fault as a list or an item sees it; null if it belongs to another field. */
export function faultIn(fault: Fault | null, name: string): Fault | null {
  if (fault === null) return null;
  if (fault.field === name) return { ...fault, field: '' };
  const inside = `${name}.`;
  return fault.field.startsWith(inside)
    ? { ...fault, field: fault.field.slice(inside.length) }
    : null;
}

/** What is wrong, without the path of the field, which the form shows by its place. */
export const wordsAt = ({ message }: Fault): string =>
  message.replace(/^The field "[^"]*" is invalid: /, '');

/** What is wrong with a list of texts, with the text at fault. */
export function wordsInList(fault: Fault, list: readonly string[]): string {
  const text = list[Number(fault.field)];
  return fault.field === '' || text === undefined ? wordsAt(fault) : `${text}: ${wordsAt(fault)}`;
}

/** The values with one of them changed; undefined leaves it out. */
export function withValue(values: Values, name: string, value: unknown): Values {
  if (value !== undefined) return { ...values, [name]: value };
  const { [name]: _, ...others } = values;
  return others;
}

/** Whether everything that is required is filled in. */
export const isFilled = (schema: JsonSchema, values: Values): boolean =>
  fieldsOf(schema).every(({ name, schema: { items, minItems = 0, minLength = 0 }, isRequired }) => {
    const value = values[name];
    if (!Array.isArray(value))
      return value === undefined ? !isRequired : value !== '' || minLength === 0;
    return (
      value.length >= minItems &&
      (!items?.properties || value.every((item) => isFilled(items, item)))
    );
  });

/** A description as a sentence. */
export const sentence = (text: string): string =>
  text === '' ? '' : `${text[0]?.toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** These contain neither spaces nor commas, so either ends one. */
const TIGHT = ['network', 'path', 'upstream', 'header'];

/** The texts of a list that is written one per line. */
export const linesOf = (text: string, { format = '' }: JsonSchema = {}): string[] =>
  text
    .split(TIGHT.includes(format) ? /[\s,]+/ : '\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** What an empty field shows; its default, or else an example. */
export function placeholderOf({ default: usual, examples = [], items }: JsonSchema): string {
  if (usual !== undefined) return Array.isArray(usual) ? usual.join('\n') : String(usual);
  const own = items ? [...(items.examples ?? []), ...examples.flat()] : examples.slice(0, 1);
  return own.join('\n');
}

export type Recipe = Omit<Answered, 'fields'> & { fields: JsonSchema };

/** The Caddyfile text that a recipe makes of values. @throws ApiError if a value is refused */
export const rendered = async (
  id: string,
  values: Values,
  signal?: AbortSignal,
): Promise<string> => {
  const options = { body: { values }, signal };
  return (await request<{ config: string }>(`/recipes/${id}/render`, options)).body.config;
};

/** Those of one kind, in the hub's order. */
export const useRecipes = (kind: Recipe['kind']): Loaded<Recipe[]> =>
  useLoad('recipes', async (signal) =>
    (await get<Recipe[]>('/recipes', signal)).filter((recipe) => recipe.kind === kind),
  );
