/** The pages, their addresses and their titles. */
import type { ComponentChildren } from 'preact';
import { isAllowed, neededAt, type Role } from './lib/roles.ts';
import type { Place } from './lib/router.ts';
import { LogsPage } from './logs/logs-page.tsx';
import { Overview } from './overview/overview.tsx';
import { lazy } from './parts/loading.tsx';
import { SiteList } from './sites/list/site-list.tsx';
import { NewSite, SitePage } from './sites/site-page.tsx';

const seldom = () => import('./seldom.ts');
const AccountPage = lazy(async () => (await seldom()).AccountPage);
const CertificatesPage = lazy(async () => (await seldom()).CertificatesPage);
const Changelog = lazy(async () => (await seldom()).Changelog);
const ImportExport = lazy(async () => (await seldom()).ImportExport);
const NotificationsPage = lazy(async () => (await seldom()).NotificationsPage);
const PoliciesPage = lazy(async () => (await seldom()).PoliciesPage);
const NewPolicy = lazy(async () => (await seldom()).NewPolicy);
const PolicyPage = lazy(async () => (await seldom()).PolicyPage);
const PreamblePage = lazy(async () => (await seldom()).PreamblePage);
const ProxiesPage = lazy(async () => (await seldom()).ProxiesPage);
const ProxyPage = lazy(async () => (await seldom()).ProxyPage);
const SecurityLog = lazy(async () => (await seldom()).SecurityLog);
const UsersPage = lazy(async () => (await seldom()).UsersPage);

type Page = { title: string; view: ComponentChildren };

/** The entries of the menu, in order. */
export const MENU = [
  { path: '/', label: 'Overview' },
  { path: '/sites', label: 'Sites' },
  { path: '/policies', label: 'Policies' },
  { path: '/logs', label: 'Logs' },
  { path: '/certificates', label: 'Certificates' },
  { path: '/changelog', label: 'Changelog' },
  { path: '/preamble', label: 'Preamble' },
  { path: '/proxies', label: 'Proxies' },
  { path: '/notifications', label: 'Notifications' },
  { path: '/import', label: 'Import & export' },
  { path: '/users', label: 'Users' },
  { path: '/security-log', label: 'Security log' },
  { path: '/account', label: 'Account' },
] as const;

/** The page at an address; for an unknown one, or one that is not for that role, a page that says so. */
export function pageAt({ path, query }: Place, role: Role): Page {
  const needed = neededAt(path);
  if (!isAllowed(role, needed))
    return { title: 'Not allowed', view: <NotAllowed needed={needed} /> };
  if (path === '/') return { title: 'Overview', view: <Overview key="overview" /> };
  if (path === '/sites') return { title: 'Sites', view: <SiteList key="sites" query={query} /> };
  if (path === '/sites/new') {
    const from = Number(query.get('from')) || null;
    return { title: 'New site', view: <NewSite key={`new ${from}`} from={from} /> };
  }
  const [, id] = /^\/sites\/(\d+)$/.exec(path) ?? [];
  if (id) return { title: 'Site', view: <SitePage key={id} id={Number(id)} /> };
  if (path === '/policies') return { title: 'Policies', view: <PoliciesPage key="policies" /> };
  if (path === '/policies/new') {
    const recipe = query.get('recipe');
    return { title: 'New policy', view: <NewPolicy key={`new ${recipe}`} recipe={recipe} /> };
  }
  const [, policy] = /^\/policies\/(\d+)$/.exec(path) ?? [];
  if (policy) return { title: 'Policy', view: <PolicyPage key={policy} id={Number(policy)} /> };
  if (path === '/logs') return { title: 'Logs', view: <LogsPage key="logs" query={query} /> };
  if (path === '/certificates') {
    return { title: 'Certificates', view: <CertificatesPage key="certificates" query={query} /> };
  }
  if (path === '/changelog') {
    return { title: 'Changelog', view: <Changelog key="changelog" query={query} /> };
  }
  if (path === '/preamble') return { title: 'Preamble', view: <PreamblePage key="preamble" /> };
  if (path === '/proxies') return { title: 'Proxies', view: <ProxiesPage key="proxies" /> };
  const [, proxy] = /^\/proxies\/([a-z0-9-]+)$/.exec(path) ?? [];
  if (proxy) return { title: proxy, view: <ProxyPage key={`proxy ${proxy}`} name={proxy} /> };
  if (path === '/notifications') {
    return { title: 'Notifications', view: <NotificationsPage key="notifications" /> };
  }
  if (path === '/import') {
    return { title: 'Import & export', view: <ImportExport key="import" query={query} /> };
  }
  if (path === '/users') return { title: 'Users', view: <UsersPage key="users" /> };
  if (path === '/security-log') {
    return { title: 'Security log', view: <SecurityLog key="security log" query={query} /> };
  }
  if (path === '/account') return { title: 'Account', view: <AccountPage key="account" /> };
  return { title: 'Not found', view: <NotFound /> };
}

function NotAllowed({ needed }: { needed: Role }) {
  return (
    <>
      <h1>Not allowed</h1>
      <p>
        This page is for the role “{needed}”. An owner can give it to you.{' '}
        <a href="/">Go to the overview</a>
      </p>
    </>
  );
}

function NotFound() {
  return (
    <>
      <h1>Page not found</h1>
      <p>
        There is no such page. <a href="/sites">Go to your sites</a>
      </p>
    </>
  );
}
