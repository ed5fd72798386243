/** Where typing begins in a form, and a refusal scrolled into view. */
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

type Form = RefObject<HTMLFormElement | null>;

/** Shows what is wrong: the first field or notice at fault. @param fault null if nothing is */
export function useFaultInView(form: Form, fault: unknown): void {
  useEffect(() => {
    if (fault === null) return;
    const shown = form.current?.querySelector('[aria-invalid], [role=alert], .notice-warning');
    shown?.scrollIntoView({ block: 'nearest' });
  }, [form, fault]);
}

/** Puts the cursor into the first field of an empty form. */
export function useFirstField(form: Form, isEmpty: boolean): void {
  useEffect(() => {
    if (isEmpty) form.current?.querySelector('input')?.focus();
  }, [form, isEmpty]);
}
