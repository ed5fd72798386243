/** The pages, their addresses and their titles. */
import type { ComponentChildren } from 'preact';
import { AccountPage } from './account/account-page.tsx';
import { Changelog } from './changelog/changelog.tsx';
import { readFilter } from './changelog/filter.ts';
import { ImportExport } from './config/import-export.tsx';
import { PreamblePage } from './config/preamble-page.tsx';
import type { Place } from './lib/router.ts';
import { LogsPage } from './logs/logs-page.tsx';
import { SiteEdit } from './sites/site-edit.tsx';
import { SiteList } from './sites/site-list.tsx';

export type Page = { title: string; view: ComponentChildren };

/** The entries of the menu, in order. */
export const MENU = [
  { path: '/', label: 'Sites' },
  { path: '/logs', label: 'Logs' },
  { path: '/changelog', label: 'Changelog' },
  { path: '/preamble', label: 'Preamble' },
  { path: '/import', label: 'Import & export' },
  { path: '/account', label: 'Account' },
] as const;

/** The page at an address; for an unknown one, a page that says so. */
export function pageAt({ path, query }: Place): Page {
  if (path === '/') return { title: 'Sites', view: <SiteList key="sites" query={query} /> };
  if (path === '/sites/new') return { title: 'New site', view: <SiteEdit key="new" id={null} /> };
  const [, id] = /^\/sites\/(\d+)$/.exec(path) ?? [];
  if (id) return { title: 'Site', view: <SiteEdit key={id} id={Number(id)} /> };
  if (path === '/logs') return { title: 'Logs', view: <LogsPage key="logs" query={query} /> };
  if (path === '/changelog') {
    return { title: 'Changelog', view: <Changelog key="changelog" filter={readFilter(query)} /> };
  }
  if (path === '/preamble') return { title: 'Preamble', view: <PreamblePage key="preamble" /> };
  if (path === '/import') return { title: 'Import & export', view: <ImportExport key="import" /> };
  if (path === '/account') return { title: 'Account', view: <AccountPage key="account" /> };
  return { title: 'Not found', view: <NotFound /> };
}

function NotFound() {
  return (
    <>
      <h1>Page not found</h1>
      <p>
        There is nothing at this address. <a href="/">Go to your sites</a>
      </p>
    </>
  );
}
