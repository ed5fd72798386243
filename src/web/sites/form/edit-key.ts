/** Leads to the editor of a site's page: the key E, and an address that ends in `#edit`. */
import { useEffect } from 'preact/hooks';

/** The id of the form's editor. */
export const EDIT = 'edit';

/** Puts the cursor into the form's editor, once that is there, if the address says so. */
export function useEditAddress(): void {
  useEffect(() => {
    const focusIfWanted = () => {
      if (location.hash === `#${EDIT}`) focusEditor();
    };
    focusIfWanted();
    // The browser itself finds nothing to focus in the shadow root.
    addEventListener('hashchange', focusIfWanted);
    return () => removeEventListener('hashchange', focusIfWanted);
  }, []);
}

const focusEditor = () => document.getElementById(EDIT)?.focus();

/** @param isShown whether the editor is on the page */
export function useEditKey(isShown: boolean): void {
  useEffect(() => {
    if (!isShown) return;
    const onKey = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : null;
      if (event.key !== 'e' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target?.closest('input, textarea, select, dialog, .editor')) return;
      event.preventDefault();
      focusEditor();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isShown]);
}
