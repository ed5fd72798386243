/** The API's types under the dashboard's names. */
import type { Bucket, Status } from './api-types.ts';

export type {
  Activity,
  Address,
  Agent,
  ApiToken as Token,
  Bucket,
  Certificate,
  ChangedVhost,
  ChangelogEntry as Entry,
  ChangelogGroup as Group,
  Channel,
  Check,
  Delivery,
  Done,
  DraftAdvice,
  Event as EventMeaning,
  ImportAnswer,
  Incident,
  LastError,
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
  SnapshotSite,
  Status,
  UptimeBars,
  User,
  Verdict as Preview,
  Vhost,
  VhostActivity,
  VhostState as SiteState,
  VhostUptime,
} from './api-types.ts';

/** What a newer Caddy refuses although the running one accepts it. */
export type Obstacle = Status['beforeUpgrade'][number];
export type StatusClass = keyof Bucket['requests'];
