/** Checks the values of a recipe. Pure. */
import { getSchemaValidator, type TSchema } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { memoize } from '../../shared/memoize.ts';
import { faultOf } from './formats.ts';
import type { Recipe, Values } from './recipe.ts';

const validatorOf = memoize((schema: TSchema) => getSchemaValidator(schema));

/**
 * The values, if they are valid; unknown fields are not.
 * @throws Failure INVALID_REQUEST with the field, such as `users.0.password`
 */
export function checkValues({ fields }: Pick<Recipe, 'fields'>, values: unknown): Values {
  for (const { path, schema, value, message } of validatorOf(fields).Errors(values)) {
    const field = path.slice(1).replaceAll('/', '.');
    // The validator calls the formats of recipes unknown.
    if (!message.startsWith('Unknown format')) throw invalidValue(field, `${message}.`);
    const fault = faultOf(String(value), schema.format);
    if (fault !== null) throw invalidValue(field, `It must be ${fault}.`);
  }
  assertDistinct(values as Values);
  return values as Values;
}

/** @param words a sentence that does not repeat the value */
export const invalidValue = (field: string, words: string): Failure =>
  field === ''
    ? new Failure('INVALID_REQUEST', `The values are invalid: ${words}`, {
        at: { field: 'values' },
      })
    : new Failure('INVALID_REQUEST', `The field "${field}" is invalid: ${words}`, {
        at: { field },
      });

/** Names in a list are those of people or such: each occurs once. @throws Failure INVALID_REQUEST */
function assertDistinct(values: Values): void {
  for (const [field, list] of Object.entries(values)) {
    if (!Array.isArray(list)) continue;
    const names = list.map((item: { name?: string } | string) =>
      typeof item === 'string' ? undefined : item.name,
    );
    const again = names.findIndex(
      (name, index) => name !== undefined && names.indexOf(name) !== index,
    );
    if (again !== -1) throw invalidValue(`${field}.${again}.name`, 'It occurs twice.');
  }
}
