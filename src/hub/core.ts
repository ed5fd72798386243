/** What a feature may rely on in the hub, and what it can bring there. */
import type { AnyElysia } from 'elysia';
import type { Clock } from '../shared/clock.ts';
import type { EventName } from '../shared/events.ts';
import type { Log } from '../shared/log.ts';
import type { Collector } from '../shared/observe/metrics.ts';
import type { RequestSeen } from '../shared/observe/requests.ts';
import type { Paced } from '../shared/paced.ts';
import type { Accounts } from './auth/accounts/accounts.ts';
import type { AttemptLimits } from './auth/accounts/attempt-limits.ts';
import type { SignInFailed, SignInFailure } from './auth/accounts/count-sign-ins.ts';
import type { Invitations } from './auth/accounts/invitations.ts';
import type { BeginSecondHalf, LinkedOf, Proof } from './auth/beside-passwords.ts';
import type { Origins } from './auth/client.ts';
import type { Guard, SessionGuard } from './auth/guard.ts';
import type { SessionCookies } from './auth/sessions/cookie.ts';
import type { Db } from './db/open.ts';
import type { Sealing } from './db/sealing.ts';
import type { Staged } from './db/staged.ts';
import type { RegisteredRoute } from './http/about.ts';
import type { OpenWrites } from './http/open-writes.ts';
import type { Warning } from './http/schemas.ts';
import type { Change } from './model/changes.ts';
import type { SiteSet, Vhost } from './model/vhost.ts';
import type { Publisher } from './publish/publisher.ts';
import type { PublishSeen } from './publish/target/outcome.ts';
import type { Retries } from './retries/retries.ts';
import type { Checks } from './watch/checks.ts';
import type { IncidentListener } from './watch/incidents/incidents.ts';
import type { Problem, ProblemView } from './watch/problem.ts';
import type { FailingOf } from './watch/sites/states.ts';

/** The parts of the hub that are there before those of features. */
export type HubCore = Clock &
  Readonly<{
    version: string;
    publisher: Publisher;
    db: Db;
    /** Of secrets in the database. */
    sealing: Sealing;
    /** Of the first agent. */
    agentUrl: string;
    /** The hub's id. */
    hub: string;
    /** The data folder. */
    dataDir: string;
    /** The file with the key of what is sealed. */
    keyFile: string;
    /** Absolute paths of the folders from which a config may import files. */
    importDirs: readonly string[];
    /** Whether another program has the database open. */
    isShared: () => boolean;
    /** Whether there is no account yet. */
    isEmpty: () => boolean;
    accounts: Accounts;
    invitations: Invitations;
    /** How often somebody may try to sign in. */
    limits: AttemptLimits;
    /** Counts and logs a failed sign-in. */
    signInFailed: SignInFailed;
    /** Its intervals, at the pace of this hub. */
    paced: Paced;
    log: Log;
  }>;

/** What routes get: also who may call them, and how many bytes a body may have. */
export type ApiCore = HubCore &
  Readonly<{
    guard: Guard;
    /** Of routes for people only: no API token opens them. */
    sessionGuard: SessionGuard;
    bodyLimit: number;
    /** The same for routes that anyone may call. */
    strangersBodyLimit: number;
    /** For routes without a guard: whether there is a session, and other cookies. */
    cookies: SessionCookies;
    /** The client's address. */
    addressOf: (request: Request) => string;
    /** Of the hub, as the browser of a request names it. */
    originOf: (request: Request) => string;
    /** Of the hub, by its settings: what a request calls it may be somebody else's invention. */
    origins: () => Origins;
    /** For requests that may be sent again. */
    retries: Retries;
    /** Requests that may change something and have no answer yet. */
    openWrites: OpenWrites;
    restart: Restart;
    withWarnings: WithWarnings;
    startReplay: StartReplay;
    /** All routes of the hub, once it is composed. */
    routes: () => readonly RegisteredRoute[];
    /** Whether a request was made on this machine, or carries a valid token that is no cookie. */
    isTrusted: (request: Request) => boolean;
    /** Those of all parts. */
    collectors: readonly Collector[];
    openIncidents: () => ReadonlyMap<EventName, number>;
    /** Of the last look. */
    lastProblems: () => readonly ProblemView[];
  }>;

/**
 * The answer to a change of many vhosts, with what visitors would notice of those that are on. No fault is said twice.
 * @param changed the vhosts, as they are stored now; of more than a thousand, the others are not looked at
 */
export type WithWarnings = <Answer extends { warnings?: Warning[] }>(
  answer: Answer,
  changed: readonly Vhost[],
) => Promise<Answer>;

/**
 * Begins to ask the requests of the last days of a change.
 * @returns the id of the replay
 * @throws Failure as if it were published; INVALID_REQUEST if this hub replays none
 */
export type StartReplay = (change: Change<unknown>) => Promise<string>;

/**
 * Soon stops this hub, puts what is staged in the place of its database, and starts another hub.
 * @param ended gets the new database before that hub starts, or why it is the one from before
 */
export type Restart = (
  staged: Staged,
  ended: (how: { db: Db } | { reason: string }) => void,
) => void;

/** What a feature is to do in a hub, by its settings. */
export type HubPlan = Readonly<{
  /** Before the database is opened, and migrated if it is older. Never fails. */
  beforeOpen?: (given: BeforeOpen) => Promise<void>;
  load: () => Promise<HubHalf>;
}>;

export type BeforeOpen = Readonly<{ dataDir: string; version: string; log: Log }>;

export type HubHalf = (core: HubCore) => HubPart;

export type HubPart = Readonly<{
  /** Below `/api`; behind the guard that they use. */
  routes?: (api: ApiCore) => AnyElysia;
  /** At the root, and behind no guard: they look by themselves at who asks. */
  openRoutes?: (api: ApiCore) => AnyElysia;
  /** What is stored, as a file for `GET /export?format=yaml`. @param source only what that one keeps */
  toYaml?: (set: SiteSet, source?: string) => Promise<string>;
  /** After the first half of a sign-in; without, that is all of it. */
  beginSecondHalf?: BeginSecondHalf;
  /** What signs in to an account besides its password. */
  linked?: LinkedOf;
  /** What proves who somebody is besides the password. */
  proofs?: (api: ApiCore) => readonly Proof[];
  /** What the dashboard knows before anybody signs in, as `data-NAME` of its page. */
  page?: Readonly<Record<string, string>>;
  startReplay?: StartReplay;
  /** What visitors of vhosts would notice that were just changed, by id. Never fails; waits 1.5 s at most. */
  warnings?: (vhosts: readonly Vhost[]) => Promise<ReadonlyMap<number, PartWarning[]>>;
  /** Which checks of sites fail between changes. */
  checks?: Checks;
  /** Which sites fail for everyone, as an explanation found. */
  failing?: FailingOf;
  /** What is wrong now. */
  problems?: () => readonly Problem[];
  /** Why some of the problems are there, by their keys. */
  causes?: (problems: readonly ProblemView[]) => ReadonlyMap<string, ProblemCause>;
  /** Values for each scrape of the metrics. */
  collect?: Collector;
  /** Hears of what people and programs did. */
  observe?: HubObserver;
  /** Hears of incidents. */
  incidents?: IncidentListener;
  /** Once the hub listens. */
  begin?: () => void;
  /** Resolves when nothing of it is under way. */
  end?: () => Promise<void>;
}>;

/** `replaces`: the codes of other warnings that it says better; `unless`: those that make it superfluous. */
export type PartWarning = Warning &
  Readonly<{ replaces?: readonly string[]; unless?: readonly string[] }>;

export type ProblemCause = Pick<ProblemView, 'cause' | 'cure'>;

export type HubObserver = Readonly<{
  /** A request was answered. */
  request: (seen: RequestSeen) => void;
  publish: (seen: PublishSeen) => void;
  signInFailed: (reason: SignInFailure) => void;
}>;
