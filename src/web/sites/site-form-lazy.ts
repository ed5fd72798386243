/** The form of a site, loaded when it is first shown. */
import { lazy } from '../parts/lazy.tsx';

export const SiteForm = lazy(async () => (await import('./site-form.tsx')).SiteForm);
