/** The API's types under the dashboard's names, from the schemas of the hub's routes. Types only: no code comes along. */
import type { Static } from 'elysia';
import type { ChangelogEntry, ChangelogGroup } from '../../hub/api/changelog.ts';
import type { Event } from '../../hub/api/incidents.ts';
import type { PolicyView } from '../../hub/api/policies.ts';
import type { PreambleView } from '../../hub/api/preamble.ts';
import type { RecipeView } from '../../hub/api/recipes.ts';
import type { HubStatus } from '../../hub/api/status.ts';
import type { Verdict } from '../../hub/api/verdict.ts';
import type { VhostActivity as ActivityView } from '../../hub/api/vhost-states.ts';
import type { VhostStrips as StripsView } from '../../hub/api/vhost-strips.ts';
import type { ChangedVhost as ChangedView, VhostView } from '../../hub/api/vhost-view.ts';
import type {
  InvitationView,
  NewInvitation as NewLink,
} from '../../hub/auth/routes/invitation-routes.ts';
import type { Account } from '../../hub/auth/routes/list-accounts-routes.ts';
import type { SecurityEntryView } from '../../hub/auth/routes/security-routes.ts';
import type { SessionEntry } from '../../hub/auth/routes/session-routes.ts';
import type { NewToken as NewTokenView, TokenView } from '../../hub/auth/routes/token-routes.ts';
import type { UserView } from '../../hub/auth/routes/views.ts';
import type { Done as DoneView } from '../../hub/http/schemas.ts';
import type { Snapshot } from '../../hub/model/snapshot/snapshot.ts';
import type { DraftAdvice as DraftAdviceView } from '../../hub/watch/sites/certificate-list.ts';
import type { VhostState } from '../../hub/watch/sites/view.ts';
import type { LogStats } from '../../shared/wire/logs.ts';

export type { AgentView as Agent } from '../../hub/http/agent-view.ts';
export type { Snapshot } from '../../hub/model/snapshot/snapshot.ts';
export type { IncidentView as Incident } from '../../hub/watch/incidents/incidents.ts';
export type { ProblemView as Problem } from '../../hub/watch/problem.ts';
export type { CertificateEntry as Certificate } from '../../hub/watch/sites/certificate-list.ts';
export type { VhostState as SiteState } from '../../hub/watch/sites/view.ts';
export type { Check } from '../../shared/wire/checks.ts';
export type { LogEntry, LogPage, LogStats } from '../../shared/wire/logs.ts';

export type ChangedVhost = Static<typeof ChangedView>;
export type Done = Static<typeof DoneView>;
export type DraftAdvice = Static<typeof DraftAdviceView>;
export type Entry = Static<typeof ChangelogEntry>;
export type EventMeaning = Static<typeof Event>;
export type Group = Static<typeof ChangelogGroup>;
export type Invitation = Static<typeof InvitationView>;
export type Linked = Static<typeof Account>;
export type NewInvitation = Static<typeof NewLink>;
export type NewToken = Static<typeof NewTokenView>;
export type Preamble = Static<typeof PreambleView>;
export type Preview = Static<typeof Verdict>;
export type Recipe = Static<typeof RecipeView>;
export type SecurityEntry = Static<typeof SecurityEntryView>;
export type Session = Static<typeof SessionEntry>;
export type Status = Static<typeof HubStatus>;
export type Token = Static<typeof TokenView>;
export type User = Static<typeof UserView>;
export type VhostActivity = Static<typeof ActivityView>;
export type VhostStrips = Static<typeof StripsView>;

/** As editors and owners get them: a viewer lacks `config`, `check` and `values`. */
export type Vhost = Required<Static<typeof VhostView>>;
export type Policy = Required<Static<typeof PolicyView>>;

export type Activity = VhostActivity['vhosts'][number];
export type Address = VhostState['addresses'][number];
export type Bucket = LogStats['buckets'][number];
export type LastError = NonNullable<VhostState['errors']['acme']>;
export type SnapshotSite = Snapshot['vhosts'][number];
export type StatusClass = keyof Bucket['requests'];

/** What a newer Caddy refuses although the running one accepts it. */
export type Obstacle = Status['beforeUpgrade'][number];
