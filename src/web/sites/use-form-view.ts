/** Where typing begins in a form, and a refusal scrolled into view. */
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

type Form = RefObject<HTMLFormElement | null>;

<<<<<<< HEAD:src/web/sites/use-form-view.ts
/** Shows what is wrong: the first field or notice at fault. @param error null if nothing is */
export function useFaultInView(form: Form, error: unknown): void {
=======
export function useFormKeys(form: Form): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      // A dialog on top asks something first.
      if (!document.querySelector('dialog[open]')) form.current?.requestSubmit();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [form]);
}

/** Shows what is wrong: the first field or notice at fault. @param fault null if nothing is */
export function useFaultInView(form: Form, fault: unknown): void {
>>>>>>> upstreams:src/web/sites/use-form-keys.ts
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
