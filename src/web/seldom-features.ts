/** What features bring to the pages of seldom.ts, one line each: apart, as it is loaded with these only. */
import { BackupsCard } from '../features/backups/web/backups-card.tsx';
import { KeptCard } from '../features/certificates/web/kept-card.tsx';
import { Messages } from '../features/channels/web/messages.tsx';
import { DoorsPage } from '../features/doors/web/doors-page.tsx';
import { caddyfile } from '../features/import/web/from-caddyfile.tsx';
import { npm } from '../features/import-npm/web/from-npm.tsx';
import { ProgramCard } from '../features/programs/web/program-card.tsx';
import type { FeaturePath } from '../shared/pages.ts';
import type {
  AroundIncidents,
  CertificatesCard,
  ImportSource,
  OwnerCard,
  PageView,
  ProxyCard,
} from './feature.ts';

export const AROUND_INCIDENTS: readonly AroundIncidents[] = [Messages];

export const CERTIFICATES_CARDS: readonly CertificatesCard[] = [KeptCard];

export const IMPORT_SOURCES: readonly ImportSource[] = [caddyfile, npm];

export const FEATURE_VIEWS: Readonly<Record<FeaturePath, PageView>> = { '/doors': DoorsPage };

export const PROXY_CARDS: readonly ProxyCard[] = [ProgramCard];

export const OWNER_CARDS: readonly OwnerCard[] = [BackupsCard];
