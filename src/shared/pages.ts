/** The pages of the dashboard, by the addresses at which the hub serves them. */
import { FEATURE_PAGES, type PageWords } from '../features/pages.ts';
import type { Role } from './roles.ts';

const CORE = {
  '/': { title: 'Overview', icon: 'overview' },
  '/sites': { title: 'Sites', icon: 'sites' },
  '/sites/new': { title: 'New site', needs: 'editor' },
  '/sites/:id': { title: 'Site' },
  '/policies': { title: 'Policies', icon: 'policies' },
  '/policies/new': { title: 'New policy', needs: 'editor' },
  '/policies/:id': { title: 'Policy' },
  '/logs': { title: 'Logs', icon: 'logs' },
  '/certificates': { title: 'Certificates', icon: 'certificates' },
  '/changelog': { title: 'Changelog', icon: 'changelog' },
  '/preamble': { title: 'Preamble', icon: 'preamble', needs: 'editor' },
  '/proxies': { title: 'Proxies', icon: 'proxies' },
  '/proxies/:name': {},
  '/notifications': { title: 'Notifications', icon: 'bell' },
  '/import': { title: 'Import & export', icon: 'transfer', needs: 'editor' },
  '/users': { title: 'Users', icon: 'users', needs: 'owner' },
  '/security-log': { title: 'Security log', icon: 'security', needs: 'owner' },
  '/account': { title: 'Account', icon: 'account' },
} as const satisfies Record<string, Partial<Omit<PageWords, 'follows'>>>;

export type CorePath = keyof typeof CORE;
export type FeaturePath = keyof typeof FEATURE_PAGES;

type Own = typeof CORE & typeof FEATURE_PAGES;
type Icon = Extract<Own[keyof Own], { icon: string }>['icon'];
/** `title`: without, the window has the name in the address. `icon`: without, the menu has no entry. */
type Page = Readonly<{ title?: string; icon?: Icon; needs?: Role }>;

const behind = (core: string) =>
  Object.entries<PageWords & { icon: Icon }>(FEATURE_PAGES).filter(
    ([, { follows }]) => follows === core,
  );

/** In the order of the menu. */
export const PAGES: readonly (readonly [path: string, Page])[] = Object.entries<Page>(CORE).flatMap(
  (one) => [one, ...behind(one[0])],
);

/** Null if there is no page at this address. `name`: what the address has for `:id` or `:name`; else empty. */
export function pageOf(address: string): (Page & { path: string; name: string }) | null {
  for (const [path, page] of PAGES) {
    const pattern = path.replace(':id', '(\\d+)').replace(':name', '([a-z0-9-]+)');
    const found = new RegExp(`^${pattern}$`).exec(address);
    if (found) return { ...page, path, name: found[1] ?? '' };
  }
  return null;
}
