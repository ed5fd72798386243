/** The pages that are seldom the first: loaded together, they are smaller than each on its own. */
export { AccountPage } from './account/account-page.tsx';
export { ProveDialog } from './account/prove-dialog.tsx';
export { CertificatesPage } from './certificates/certificates-page.tsx';
export { Changelog, EntryList } from './changelog/changelog.tsx';
export { ImportExport } from './config/import-export.tsx';
export { PreamblePage } from './config/preamble-page.tsx';
export { NotificationsPage } from './incidents/notifications-page.tsx';
export { PoliciesPage } from './policies/policies-page.tsx';
export { NewPolicy, PolicyPage } from './policies/policy-page.tsx';
export { ProxiesPage } from './proxies/proxies-page.tsx';
export { ProxyPage } from './proxies/proxy-page.tsx';
export { FEATURE_VIEWS } from './seldom-features.ts';
export { SecurityLog } from './users/security-log.tsx';
export { UsersPage } from './users/users-page.tsx';
