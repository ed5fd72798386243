/** The text fields of a form: what is typed in them, and which one an error belongs to. */
import { useState } from 'preact/hooks';
import { ApiError, wordsOf } from './api.ts';

export type Fields<Name extends string> = {
  values: Record<Name, string>;
  set: (values: Record<Name, string>) => void;
  /** The attributes of the field's input. */
  input: (name: Name) => {
    name: Name;
    required: true;
    value: string;
    onInput: (event: { currentTarget: HTMLInputElement }) => void;
  };
};

/** The texts of a form whose fields are all required. */
export function useFields<Name extends string>(empty: Record<Name, string>): Fields<Name> {
  const [values, set] = useState(empty);
  const input = (name: Name) => ({
    name,
    required: true as const,
    value: values[name],
    onInput: (event: { currentTarget: HTMLInputElement }) =>
      set((old) => ({ ...old, [name]: event.currentTarget.value })),
  });
  return { values, set, input };
}

/**
 * Sorts an error to where it is shown: `at` a field, or as a `notice` for the whole form.
 * @param fieldOf the name of the field at fault; the hub's by default
 */
export function placeError<Name extends string>(
  error: unknown,
  names: readonly Name[],
  fieldOf: (error: ApiError) => string | null = ({ field }) => field,
): { at: (name: Name) => string | null; notice: string | null } {
  const field = error instanceof ApiError ? fieldOf(error) : null;
  const words = error === null ? null : wordsOf(error);
  const isPlaced = names.some((name) => name === field);
  return {
    at: (name) => (name === field ? words : null),
    notice: isPlaced ? null : words,
  };
}
