/** The pages of the dashboard, by the addresses at which the hub serves them, and the menu that leads to them. */
import { FEATURE_PAGES, type PageWords } from '../features/pages.ts';
import type { Role } from './roles.ts';

/**
 * `title`: of the window; without, that has the name in the address. `tab`: if the tab has other
 * words. `needs`: the least role that it is for. `isForm`: whether it is as narrow as a form.
 */
type Page = Readonly<{ title?: string; tab?: string; needs?: Role; isForm?: boolean }>;

const CORE = {
  '/': { title: 'Overview', tab: 'Now' },
  '/sites': { title: 'Sites' },
  '/sites/new': { title: 'New site', needs: 'editor' },
  '/sites/:id': { title: 'Site' },
  '/sites/:id/edit': { title: 'Site', needs: 'editor' },
  '/sites/:id/log': { title: 'Site' },
  '/sites/:id/history': { title: 'Site' },
  '/policies': { title: 'Policies' },
  '/policies/new': { title: 'New policy', needs: 'editor' },
  '/policies/:id': { title: 'Policy' },
  '/logs': { title: 'Logs' },
  '/certificates': { title: 'Certificates' },
  '/changelog': { title: 'Changes' },
  '/preamble': { title: 'Caddy options', needs: 'editor', isForm: true },
  '/proxies': { title: 'Proxies' },
  '/proxies/:name': { isForm: true },
  '/notifications': { title: 'Notifications', isForm: true },
  '/import': { title: 'Import & export', needs: 'editor', isForm: true },
  '/users': { title: 'Users', needs: 'owner', isForm: true },
  '/security-log': { title: 'Security log', needs: 'owner', isForm: true },
  '/account': { title: 'Account', isForm: true },
} as const satisfies Record<string, Page>;

export type CorePath = keyof typeof CORE;
export type FeaturePath = keyof typeof FEATURE_PAGES;

const BROUGHT = Object.entries<PageWords>(FEATURE_PAGES);

export const PAGES: readonly (readonly [path: string, Page])[] = [
  ...Object.entries<Page>(CORE),
  ...BROUGHT,
];

const section = (title: string, ...paths: CorePath[]) => ({
  title,
  /** The addresses of its pages that have a tab. */
  paths: paths.flatMap((path): string[] => [
    path,
    ...BROUGHT.flatMap(([own, { follows }]) => (follows === path ? own : [])),
  ]),
});

/** The entries of the menu. */
export const SECTIONS = [
  section('Overview', '/', '/changelog'),
  section('Sites', '/sites'),
  section('Policies', '/policies'),
  section('Logs', '/logs'),
  section('Certificates', '/certificates'),
  section('Proxies', '/proxies'),
  section(
    'Settings',
    '/preamble',
    '/notifications',
    '/import',
    '/users',
    '/security-log',
    '/account',
  ),
] as const;

/** Null if there is no page at this address. `name`: what the address has for `:id` or `:name`; else empty. */
export function pageOf(address: string): (Page & { path: string; name: string }) | null {
  for (const [path, page] of PAGES) {
    const pattern = path.replace(':id', '(\\d+)').replace(':name', '([a-z0-9-]+)');
    const found = new RegExp(`^${pattern}$`).exec(address);
    if (found) return { ...page, path, name: found[1] ?? '' };
  }
  return null;
}
