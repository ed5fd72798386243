/** What features bring to the pages of seldom.ts, one line each: apart, as it is loaded with these only. */
import { npm } from '../features/import-npm/web/from-npm.tsx';
import type { ImportSource } from './feature.ts';

export const IMPORT_SOURCES: readonly ImportSource[] = [npm];
