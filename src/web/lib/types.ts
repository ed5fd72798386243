/** The API's types under the dashboard's names. */
import type { LogStats, Snapshot, Status, Vhost, VhostActivity, VhostState } from './api-types.ts';

export type {
  Agent,
  ApiToken as Token,
  Certificate,
  ChangedVhost,
  ChangelogEntry as Entry,
  Channel,
  Delivery,
  DraftAdvice,
  Event as EventMeaning,
  ImportAnswer,
  Incident,
  LogEntry,
  LogPage,
  LogStats,
  NewApiToken as NewToken,
  NewChannelAnswer as NewChannel,
  Policy,
  Preamble,
  Problem,
  SignedInSession as Session,
  Snapshot,
  Status,
  User,
  Verdict as Preview,
  Vhost,
  VhostState as SiteState,
} from './api-types.ts';

export type Check = NonNullable<Vhost['check']>;
export type Address = VhostState['addresses'][number];
export type LastError = VhostState['errors']['acme'];
/** What a newer Caddy refuses although the running one accepts it. */
export type Obstacle = Status['beforeUpgrade'][number];
export type Activity = VhostActivity['vhosts'][number];
export type SnapshotSite = Snapshot['vhosts'][number];
export type Bucket = LogStats['buckets'][number];
export type StatusClass = keyof Bucket['requests'];
