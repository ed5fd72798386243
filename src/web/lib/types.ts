/** The API's types under the dashboard's names. */
import type * as api from './api-types.ts';

export type {
  Activity,
  Address,
  Agent,
  ApiToken as Token,
  Backup,
  Backups,
  Bucket,
  Certificate,
  ChangedVhost,
  ChangelogEntry as Entry,
  ChangelogGroup as Group,
  Channel,
  Check,
  Container,
  Delivery,
  DnsProviders,
  Done,
  DraftAdvice,
  Event as EventMeaning,
  ImportAnswer,
  Incident,
  Invitation,
  KeptCertificate as Kept,
  LastError,
  LinkedAccount as Linked,
  LogEntry,
  LogPage,
  LogStats,
  NewApiToken as NewToken,
  NewChannelAnswer as NewChannel,
  NewInvitation,
  NpmImportAnswer as NpmAnswer,
  Passkey,
  Preamble,
  Problem,
  Programs,
  ReplayGroup,
  ReplayState,
  SecurityEntry,
  SignedInSession as Session,
  Snapshot,
  SnapshotSite,
  Status,
  UptimeBars,
  User,
  Verdict as Preview,
  VhostActivity,
  VhostState as SiteState,
  VhostUptime,
} from './api-types.ts';

/** As editors and owners get them: a viewer lacks `config`, `check` and `values`. */
export type Vhost = Required<api.Vhost>;
export type Policy = Required<api.Policy>;

/** What a newer Caddy refuses although the running one accepts it. */
export type Obstacle = api.Status['beforeUpgrade'][number];
export type StatusClass = keyof api.Bucket['requests'];

/** What an import has to say about a site, or about none. */
export type Note = api.NpmImportAnswer['notes'][number];
