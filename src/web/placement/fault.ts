/** Where in the form of a policy a refusal belongs. Pure. */
import { ApiError } from '../lib/api.ts';
import type { Fault, JsonSchema } from '../recipes/schema.ts';

/** The refusal of a name or a value; null if it belongs to the form as a whole. */
export function faultOf(error: unknown): Fault | null {
  if (!(error instanceof ApiError)) return null;
  const { policy, field, message, detail } = error;
  if (policy?.field) return { field: policy.field, message: detail ?? message };
  // Those of a bulk request are about its operations.
  if (field === null || field.startsWith('operations')) return null;
  return { field, message };
}

/** Whether the form shows the fault at one of its fields: the name, or one of the recipe. */
export const isShownAt = (fault: Fault | null, { properties = {} }: JsonSchema): boolean =>
  fault !== null && (fault.field === 'name' || (fault.field.split('.')[0] ?? '') in properties);
