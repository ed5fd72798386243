/** What each page shows; shared/pages.ts has their addresses, titles and entries in the menu. */
import type { ComponentChildren } from 'preact';
import { type CorePath, pageOf } from '../shared/pages.ts';
import type { PageView } from './feature.ts';
import { isAllowed, type Role } from './lib/roles.ts';
import type { Place } from './lib/router.ts';
import { LogsPage } from './logs/logs-page.tsx';
import { Overview } from './overview/overview.tsx';
import { lazy } from './parts/loading.tsx';
import { SiteList } from './sites/list/site-list.tsx';
import type { SiteTab } from './sites/site-page.tsx';

const sitePage = () => import('./sites/site-page.tsx');
const NewSite = lazy(async () => (await sitePage()).NewSite);
const SitePage = lazy(async () => (await sitePage()).SitePage);
const seldom = () => import('./seldom.ts');
const AccountPage = lazy(async () => (await seldom()).AccountPage);
const CertificatesPage = lazy(async () => (await seldom()).CertificatesPage);
const Changelog = lazy(async () => (await seldom()).Changelog);
const EntryList = lazy(async () => (await seldom()).EntryList);
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

const FeaturePage = lazy(async () => {
  const views: Readonly<Record<string, PageView>> = (await seldom()).FEATURE_VIEWS;
  return function FeaturePage({ path, query }: { path: string; query: URLSearchParams }) {
    const View = views[path];
    return View ? <View query={query} /> : <NotFound />;
  };
});

type Shown = Pick<Place, 'query'> & { name: string };

/** The tabs of a site are one page, which stays while they change. */
const siteTab =
  (tab: SiteTab) =>
  ({ name, query }: Shown) => (
    <SitePage key={name} id={Number(name)} tab={tab} query={query} History={EntryList} />
  );

const VIEWS: Readonly<Record<CorePath, (shown: Shown) => ComponentChildren>> = {
  '/': () => <Overview key="overview" />,
  '/sites': ({ query }) => <SiteList key="sites" query={query} />,
  '/sites/new'({ query }) {
    const from = Number(query.get('from')) || null;
    return <NewSite key={`new ${from}`} from={from} />;
  },
  '/sites/:id': siteTab('now'),
  '/sites/:id/edit': siteTab('edit'),
  '/sites/:id/log': siteTab('log'),
  '/sites/:id/history': siteTab('history'),
  '/policies': () => <PoliciesPage key="policies" />,
  '/policies/new'({ query }) {
    const recipe = query.get('recipe');
    return <NewPolicy key={`new ${recipe}`} recipe={recipe} />;
  },
  '/policies/:id': ({ name }) => <PolicyPage key={name} id={Number(name)} />,
  '/logs': ({ query }) => <LogsPage key="logs" query={query} />,
  '/certificates': ({ query }) => <CertificatesPage key="certificates" query={query} />,
  '/changelog': ({ query }) => <Changelog key="changelog" query={query} />,
  '/preamble': () => <PreamblePage key="preamble" />,
  '/proxies': () => <ProxiesPage key="proxies" />,
  '/proxies/:name': ({ name }) => <ProxyPage key={`proxy ${name}`} name={name} />,
  '/notifications': () => <NotificationsPage key="notifications" />,
  '/import': ({ query }) => <ImportExport key="import" query={query} />,
  '/users': () => <UsersPage key="users" />,
  '/security-log': ({ query }) => <SecurityLog key="security log" query={query} />,
  '/account': () => <AccountPage key="account" />,
};

const isOfCore = (path: string): path is CorePath => Object.hasOwn(VIEWS, path);

/** The page at an address; for an unknown one, or one that is not for that role, a page that says so. */
export function pageAt(
  { path: address, query }: Place,
  role: Role,
): { title: string; isForm: boolean; view: ComponentChildren } {
  const page = pageOf(address);
  if (!page) return { title: 'Not found', isForm: true, view: <NotFound /> };
  const { path, name, title = name, needs = 'viewer', isForm = false } = page;
  if (!isAllowed(role, needs)) {
    return { title: 'Not allowed', isForm, view: <NotAllowed needed={needs} /> };
  }
  const view = isOfCore(path) ? (
    VIEWS[path]({ query, name })
  ) : (
    <FeaturePage key={path} path={path} query={query} />
  );
  return { title, isForm, view };
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
