/** Targets of channels, by the schema of their kind: checked, their secrets kept over changes, and masked. Pure. */
import { randomBytes } from 'node:crypto';
import type { TSchema } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { formatOf, MASK, type Value } from './kinds/fields.ts';
import type { Kind, Target } from './kinds/kind.ts';
import { type ChannelKind, KINDS } from './kinds/kinds.ts';

/** Null removes a field. */
export type TargetInput = Readonly<Record<string, Value | null | undefined>>;

/** As long as the HMAC that it is for. */
const SECRET_BYTES = 32;

/** What the hub makes for a new channel, because its fields were left out. */
export const generated = (name: ChannelKind, input: TargetInput): Record<string, string> =>
  Object.fromEntries(
    fieldsOf(KINDS[name])
      .filter(([field, schema]) => schema.generated && (input[field] ?? null) === null)
      .map(([field]) => [field, randomBytes(SECRET_BYTES).toString('base64url')]),
  );

/**
 * A target as it is stored. What is left out, or comes as its mask, is kept – but credentials only
 * for the place they were given for, so that nobody can have them sent elsewhere.
 * @param stored null for a new channel
 * @throws Failure INVALID_REQUEST, at `target.url` and the like
 */
export function readTarget(name: ChannelKind, input: TargetInput, stored: Target | null): Target {
  const kind = KINDS[name];
  const foreign = Object.keys(input).find(
    (field) => !Object.hasOwn(kind.fields.properties, field) && input[field] !== null,
  );
  if (foreign) throw invalid(foreign, `A channel of the kind ${name} has no such field.`);
  const kept = new Set<string>();
  const target = Object.fromEntries(
    fieldsOf(kind).flatMap(([field, schema]) => {
      const given = input[field];
      const old = stored?.[field];
      if (old !== undefined && (given === undefined || given === masked(schema, old))) {
        kept.add(field);
        return [[field, old]];
      }
      if (given !== undefined && given !== null) return [[field, checked(field, schema, given)]];
      if (isOptional(kind, field)) return [];
      throw invalid(field, 'It is missing.');
    }),
  );
  assertPair(kind, target);
  if (stored && kind.placeOf(target) !== kind.placeOf(stored)) assertGiven(kind, kept);
  return target;
}

function checked(field: string, schema: TSchema, value: Value): Value {
  if (String(value).includes(MASK)) {
    throw invalid(field, 'Replace *** with the real value.');
  }
  const { is, must } = formatOf(schema);
  if (!is(value)) throw invalid(field, `It must be ${must}.`);
  return value;
}

function assertPair({ pair }: Kind, target: Target): void {
  if (!pair) return;
  const lacking = pair.find((field) => target[field] === undefined);
  if (lacking && pair.some((field) => target[field] !== undefined)) {
    throw invalid(lacking, `Set both ${pair.join(' and ')}, or neither.`);
  }
}

function assertGiven(kind: Kind, kept: ReadonlySet<string>): void {
  const [again] = fieldsOf(kind).filter(
    ([field, schema]) => formatOf(schema).isCredential && kept.has(field),
  );
  if (!again) return;
  throw invalid(again[0], 'Enter it again, because the address changed.');
}

/** A target as it is shown. */
export const maskTarget = (name: ChannelKind, target: Target): Target =>
  Object.fromEntries(
    fieldsOf(KINDS[name]).flatMap(([field, schema]) => {
      const value = target[field];
      return value === undefined ? [] : [[field, masked(schema, value)]];
    }),
  );

const masked = (schema: TSchema, value: Value): Value => formatOf(schema).mask?.(value) ?? value;

export const fieldsOf = ({ fields }: Kind): [string, TSchema][] =>
  Object.entries(fields.properties);

export const isOptional = ({ fields }: Kind, field: string): boolean =>
  !fields.required?.includes(field);

const invalid = (field: string, message: string) =>
  new Failure('INVALID_REQUEST', message, { at: { field: `target.${field}` } });
