/** Targets of channels: checked, their secrets kept over changes and masked. Pure. */

import type { ChannelKind, ChannelTarget } from '../../shared/events.ts';
import { Failure } from '../../shared/failure.ts';
import { type Field, MASK } from './kinds/fields.ts';
import type { Kind, TargetField } from './kinds/kind.ts';
import { KINDS } from './kinds/kinds.ts';

/** Null removes a field. */
export type TargetInput = Readonly<{ [Name in TargetField]?: ChannelTarget[Name] | null }>;
type Value = string | number;

/**
 * A target as it is stored. What is left out, or comes as its mask, is kept – but credentials only
 * for the place they were given for, so that nobody can have them sent elsewhere.
 * @param stored null for a new channel
 * @throws Failure INVALID_REQUEST, at `target.url` and the like
 */
export function readTarget(
  name: ChannelKind,
  input: TargetInput,
  stored: ChannelTarget | null,
): ChannelTarget {
  const kind = KINDS[name];
  const foreign = namesOf(input).find(
    (field) => !Object.hasOwn(kind.fields, field) && input[field] !== null,
  );
  if (foreign) throw invalid(foreign, `A channel of the kind ${name} has no such field.`);
  const kept = new Set<TargetField>();
  const target = Object.fromEntries(
    fieldsOf(kind).flatMap(([field, rules]) => {
      const given = input[field];
      const old = stored?.[field];
      if (old !== undefined && (given === undefined || given === rules.mask(old))) {
        kept.add(field);
        return [[field, old]];
      }
      return given === undefined || given === null
        ? without(field, rules)
        : [[field, checked(field, rules, given)]];
    }),
  ) as ChannelTarget;
  assertPair(kind, target);
  if (stored && kind.placeOf(target) !== kind.placeOf(stored)) assertGiven(kind, kept);
  return target;
}

function without(field: TargetField, { isOptional }: Field): [] {
  if (isOptional) return [];
  throw invalid(field, 'It is missing.');
}

function checked(field: TargetField, { is, must }: Field, value: Value): Value {
  if (String(value).includes(MASK)) {
    throw invalid(field, 'Replace *** with the real value.');
  }
  if (!is(value)) throw invalid(field, `It must be ${must}.`);
  return value;
}

function assertPair({ pair }: Kind, target: ChannelTarget): void {
  if (!pair) return;
  const lacking = pair.find((field) => target[field] === undefined);
  if (lacking && pair.some((field) => target[field] !== undefined)) {
    throw invalid(lacking, `Set both ${pair.join(' and ')}, or neither.`);
  }
}

function assertGiven(kind: Kind, kept: ReadonlySet<TargetField>): void {
  const [again] = fieldsOf(kind).filter(([field, rules]) => rules.isCredential && kept.has(field));
  if (!again) return;
  throw invalid(again[0], 'Enter it again, because the address changed.');
}

/** A target as it is shown. */
export function maskTarget(name: ChannelKind, target: ChannelTarget): ChannelTarget {
  return Object.fromEntries(
    fieldsOf(KINDS[name]).flatMap(([field, { mask }]) => {
      const value = target[field];
      return value === undefined ? [] : [[field, mask(value)]];
    }),
  );
}

const namesOf = (input: TargetInput) => Object.keys(input) as TargetField[];
const fieldsOf = ({ fields }: Kind) => Object.entries(fields) as [TargetField, Field][];

const invalid = (field: TargetField, message: string) =>
  new Failure('INVALID_REQUEST', message, { at: { field: `target.${field}` } });
