/** What features bring to the dashboard, one line each; beside it for signing in, for the form of a site, and for the pages of seldom.ts. */
import { ExplainPanel } from '../features/explain/web/explain-panel.tsx';
import { FactorQuestion } from '../features/sign-in/web/factor-question.tsx';
import { PlotPanel } from '../features/statistics/web/plots/plot-panel.tsx';
import { UptimePanel } from '../features/uptime/web/panel.tsx';
import type {
  CauseNote,
  EntryLink,
  LogSection,
  OverviewSection,
  PageNotice,
  ProblemCure,
  RequestsSection,
  SiteSection,
} from './feature.ts';
import { lazy } from './parts/loading.tsx';

export const PAGE_NOTICES: readonly PageNotice[] = [FactorQuestion];

// Nothing stands there until it is known that something was changed.
const moments = () => import('../features/history/web/moments.tsx');

export const OVERVIEW_SECTIONS: readonly OverviewSection[] = [
  lazy(async () => (await import('../features/statistics/web/last-hour.tsx')).LastHour),
  lazy(async () => (await moments()).Moments, null),
];

export const SITE_SECTIONS: readonly SiteSection[] = [ExplainPanel, UptimePanel];

export const REQUESTS_SECTIONS: readonly RequestsSection[] = [
  lazy(async () => (await import('../features/statistics/web/last-day.tsx')).LastDay),
  lazy(async () => (await moments()).SiteMoments, null),
];

export const LOG_SECTIONS: readonly LogSection[] = [
  PlotPanel,
  lazy(async () => (await moments()).LogMoments, null),
];

export const ENTRY_LINKS: readonly EntryLink[] = [
  lazy(async () => (await import('../features/history/web/moment-link.tsx')).MomentLink, null),
];

export const CAUSE_NOTES: readonly CauseNote[] = [
  lazy(async () => (await import('../features/explain/web/entry-cause.tsx')).EntryCause),
];

export const PROBLEM_CURES: readonly ProblemCure[] = [
  lazy(async () => (await import('../features/explain/web/cure.tsx')).Cure),
];
