/** What features bring to the pages of seldom.ts, one line each: apart, as it is loaded with these only. */
import { BackupsCard } from '../features/backups/web/backups-card.tsx';
import { npm } from '../features/import-npm/web/from-npm.tsx';
import type { ImportSource, OwnerCard } from './feature.ts';

export const IMPORT_SOURCES: readonly ImportSource[] = [npm];

export const OWNER_CARDS: readonly OwnerCard[] = [BackupsCard];
