/** Where typing begins in a form, and a refusal scrolled into view. */
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

type Form = RefObject<HTMLFormElement | null>;

/** Shows what is wrong: the first field or notice at fault. @param error null if nothing is */
export function useFaultInView(form: Form, error: unknown): void {
  useEffect(() => {
    if (error === null) return;
    const fault = form.current?.querySelector('[aria-invalid], [role=alert]');
    fault?.scrollIntoView({ block: 'nearest' });
  }, [form, error]);
}

/** Puts the cursor into the first field of an empty form. */
export function useFirstField(form: Form, isEmpty: boolean): void {
  useEffect(() => {
    if (isEmpty) form.current?.querySelector('input')?.focus();
  }, [form, isEmpty]);
}
