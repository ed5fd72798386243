/** What features bring to the dashboard, one line each; for the form of a site and the pages of seldom.ts, beside it. */
import { UptimePanel } from '../features/uptime/web/panel.tsx';
import type { SiteSection } from './feature.ts';

export const SITE_SECTIONS: readonly SiteSection[] = [UptimePanel];
