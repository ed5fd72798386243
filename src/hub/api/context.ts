/** The parts of the hub: made once, and passed to the routes and the program. */
import { messageOf } from '../../shared/async.ts';
import type { Clock } from '../../shared/clock.ts';
import { Failure } from '../../shared/failure.ts';
import type { Log } from '../../shared/log.ts';
import { createPaced } from '../../shared/paced.ts';
import { createDisks } from '../../shared/system/disks.ts';
import { type AgentClient, createAgentClient } from '../agents/client.ts';
import { type AgentKeys, createAgentKeys } from '../agents/keys.ts';
import { type AgentTrust, isConfidential } from '../agents/trust.ts';
import { type Accounts, createAccounts } from '../auth/accounts/accounts.ts';
import { createAttemptLimits } from '../auth/accounts/attempt-limits.ts';
import { countFailures, type SignInFailed } from '../auth/accounts/count-sign-ins.ts';
import { createDirectory, type Directory } from '../auth/accounts/directory.ts';
import { createInvitations, type Invitations } from '../auth/accounts/invitations.ts';
import type { SetupCode } from '../auth/accounts/setup-code.ts';
import type { SignUpPolicy } from '../auth/accounts/sign-up.ts';
import type { BeginSecondHalf } from '../auth/beside-passwords.ts';
import type { CommandLine } from '../auth/command-line.ts';
import type { Guard } from '../auth/guard.ts';
import { createTokens, type Tokens } from '../auth/tokens/tokens.ts';
import type {
  HubCore,
  HubHalf,
  HubObserver,
  HubPart,
  HubPlan,
  Restart,
  StartReplay,
} from '../core.ts';
import type { Db, OpenDatabase } from '../db/open.ts';
import { createSealing } from '../db/sealing.ts';
import { createOpenWrites, type OpenWrites } from '../http/open-writes.ts';
import type { StoredAgent } from '../model/agent.ts';
import { createSealedPairs } from '../model/sealed-pairs.ts';
import { createStore, type Store } from '../model/store.ts';
import { createReadPorts, type ReadPorts } from '../publish/ports.ts';
import { createPublisher, type Publisher, type PublisherDeps } from '../publish/publisher.ts';
import { createRetries, type Retries } from '../retries/retries.ts';
import { createFactsReader, type RecentPace } from '../watch/agent-facts.ts';
import { type Checks, NO_CHECKS } from '../watch/checks.ts';
import { beginnings, createIncidents, type Incidents } from '../watch/incidents/incidents.ts';
import { createWatcher, type Watcher, type WatcherDeps } from '../watch/incidents/watcher.ts';
import { createKnownProblems, type KnownProblems } from '../watch/known.ts';
import { createLook, type Look } from '../watch/look.ts';
import type { ProblemView } from '../watch/problem.ts';
import { createProblemList, type ListProblems } from '../watch/problem-list.ts';
import { createWarningsAfter, type FailingOf, type WarningsAfter } from '../watch/sites/states.ts';
import { type Summary, summaryOf } from '../watch/summary.ts';
import { observeWith, warningsWith, withCauses } from './features.ts';
import { createFleet, type Fleet } from './fleet.ts';

export type HubSettings = Readonly<{
  host: string;
  port: number;
  dataDir: string;
  signUp: SignUpPolicy;
  agentUrl: string;
  /** The name of the agent there, among several. */
  agentName: string;
  /** How the hub verifies an `https:` agent; null: by the public authorities. */
  agentTrust: AgentTrust | null;
  /** Believe the last hop of `X-Forwarded-For`, and `X-Forwarded-Proto`. */
  trustProxy: boolean;
  /** The socket over which commands on this machine reach the hub without a password. */
  socket: string;
  /** How long the hub waits for the agent, milliseconds. Not a setting: only tests shorten it. */
  agentDeadline?: number;
  /** Where browsers reach the hub, first as links name it; empty: anywhere. */
  origins: readonly string[];
  /** The hosts of these, without default ports: the only ones the hub answers to; empty: any. */
  hosts: readonly string[];
  /** Absolute paths of the folders from which a config may import files. */
  importDirs: readonly string[];
  /** What features do here. */
  plans: readonly HubPlan[];
}>;

/** What the program around the hub knows and makes. */
type HubGiven = Clock & {
  settings: HubSettings;
  database: OpenDatabase;
  /** Of the first agent. */
  token: string;
  /** The file with the key of what is sealed. */
  secretKey: string;
  restart: Restart;
  setupCode: SetupCode;
  commandLine: CommandLine;
  version: string;
  /** The commit that the binary was built from. */
  commit: string | null;
  pace: PublisherDeps['pace'] & {
    recentSites: RecentPace;
    watch: WatcherDeps['pace'];
    activity: number;
    strips: number;
    checking: number;
    share: number;
    own?: Readonly<Record<string, object>>;
  };
  log: Log;
  /** Those of features. */
  halves: readonly HubHalf[];
  /** The first preamble; only if hub, agent and proxy are on one machine. */
  preamble: (() => string) | undefined;
};

export type HubContext = Pick<
  HubGiven,
  'settings' | 'commandLine' | 'version' | 'commit' | 'pace' | 'now' | 'elapsed' | 'log' | 'restart'
> & {
  db: Db;
  /** @throws Failure if what is written to the database would be lost */
  assertInPlace: () => void;
  /** The database's path. */
  databaseFile: string;
  store: Store;
  accounts: Accounts;
  directory: Directory;
  invitations: Invitations;
  tokens: Tokens;
  publisher: Publisher;
  /** Requests that may change something and have no answer yet. */
  openWrites: OpenWrites;
  fleet: Fleet;
  /** What visitors of vhosts would notice that were just changed. */
  warningsAfter: WarningsAfter;
  readPorts: ReadPorts;
  checks: Checks;
  failing: FailingOf;
  /** One look at what may be wrong; routes and the watcher share it, and its list of problems. */
  look: () => Promise<Look>;
  listProblems: ListProblems;
  /** Of the last look. */
  summary: () => Promise<Summary>;
  /** Which problems people know of. */
  known: KnownProblems;
  /** Of what breaks on its own. */
  watcher: Watcher;
  /** What features get, and what they bring. */
  core: HubCore;
  parts: readonly HubPart[];
  /** Tells parts what happens. */
  observe: HubObserver;
  openIncidents: Incidents['open'];
  /** Of the last look. */
  lastProblems: () => readonly ProblemView[];
  retries: Retries;
  /** What the operator should know of the hub, for the status. */
  warnings: readonly string[];
};

/** What the routes get: also who may call them, and how many bytes a body may have. */
export type ApiContext = HubContext & {
  guard: Guard;
  bodyLimit: number;
  startReplay: StartReplay;
};

export function createContext(given: HubGiven): HubContext {
  const { settings, database, setupCode, pace, now, elapsed, log } = given;
  const { commandLine, version, commit } = given;
  const { db, file: databaseFile } = database;
  const sealing = createSealing(db, given.secretKey);
  const keys = createAgentKeys(sealing.key);
  const store = createStore(database);
  if (given.preamble && store.isUnseeded()) store.seedPreamble(given.preamble(), now());
  store.nameFirstAgent(settings.agentName);
  const observe = observeWith(() => parts);
  const { pairOf } = createSealedPairs(sealing);
  const publisher = createPublisher({
    pairsFor: ({ url }) => (isConfidential(url ?? settings.agentUrl) ? pairOf : null),
    store,
    connect: createConnect(given, keys, store, () => publisher),
    pace,
    now,
    log,
    observe: observe.publish,
    importDirs: settings.importDirs,
  });
  const warnings = warningsOf(settings);
  for (const warning of [...warnings, sealing.fault()].filter((one) => one !== null)) {
    log('warning', { warning }, 'warn');
  }
  const invitations = createInvitations({ db, now });
  const limits = createAttemptLimits(elapsed);
  const beginSecondHalf: BeginSecondHalf = (...half) => {
    for (const part of parts) {
      const challenge = part.beginSecondHalf?.(...half) ?? null;
      if (challenge !== null) return challenge;
    }
    return null;
  };
  const { signUp } = settings;
  const ofSignUp = { db, now, signUp, setupCode, invitations };
  const account = createAccounts(ofSignUp, limits, elapsed, beginSecondHalf);
  const signInFailed: SignInFailed = (reason, ip, account) => {
    observe.signInFailed(reason);
    log('sign-in failed', { reason, ip, account }, 'warn');
  };
  const accounts = {
    ...account,
    signIn: countFailures(account.signIn, ({ email }) => email, signInFailed),
  };
  if (accounts.any()) setupCode.forget();
  const core: HubCore = {
    version,
    db,
    publisher,
    sealing,
    agentUrl: settings.agentUrl,
    hub: store.id,
    dataDir: settings.dataDir,
    keyFile: given.secretKey,
    importDirs: settings.importDirs,
    isShared: database.isShared,
    isEmpty: () => !accounts.any(),
    accounts,
    invitations,
    limits,
    signInFailed,
    paced: createPaced(pace.share, pace.own),
    elapsed,
    now,
    log,
  };
  const parts = given.halves.map((half) => half(core));
  const [checks = NO_CHECKS] = parts.flatMap((part) => part.checks ?? []);
  const [failing = () => null] = parts.flatMap((part) => part.failing ?? []);
  const look = createLook({
    publisher,
    readFacts: createFactsReader(publisher, checks, { now, elapsed }, pace.recentSites),
    now,
    warnings,
    locked: accounts.locked,
    keyFault: sealing.fault,
    others: () => parts.flatMap((part) => part.problems?.() ?? []),
    disks: createDisks([{ what: 'the hub’s data', folder: settings.dataDir }]),
  });
  const known = createKnownProblems(db, now, publisher.current, pace.watch);
  const readProblems = createProblemList({
    beginnings: () => beginnings(db),
    known: known.read,
  });
  /** Of the last look, at most five seconds ago: the watcher looks as often. */
  let latest: { problems: readonly ProblemView[]; summary: Summary } | undefined;
  const listProblems: ListProblems = (found, time) => {
    const problems = withCauses(readProblems(found, time), parts);
    latest = { problems, summary: summaryOf(publisher.current(), found.agents, problems, failing) };
    return problems;
  };
  async function summary(): Promise<Summary> {
    if (!latest) listProblems(await look(), now());
    return latest?.summary ?? summary();
  }
  const listeners = parts.flatMap((part) => part.incidents ?? []);
  const isKnown = (problem: string) => known.read().has(problem);
  const incidents = createIncidents(db, listeners, isKnown, pace.watch);
  const watcher = createWatcher({
    look,
    listProblems,
    incidents,
    known,
    pace: pace.watch,
    now,
    elapsed,
    log,
    recorded() {
      for (const { recorded } of listeners) recorded();
    },
  });
  return {
    settings,
    commandLine,
    version,
    commit,
    pace,
    now,
    elapsed,
    log,
    db,
    assertInPlace: store.assertInPlace,
    databaseFile,
    store,
    accounts,
    publisher,
    checks,
    failing,
    look,
    listProblems,
    summary,
    known,
    invitations,
    watcher,
    observe,
    warnings,
    openIncidents: incidents.open,
    lastProblems: () => latest?.problems ?? [],
    directory: createDirectory({ db, now }),
    core,
    parts,
    restart: given.restart,
    openWrites: createOpenWrites(),
    retries: createRetries({ db, now }),
    tokens: createTokens({ db, now }),
    fleet: createFleet({
      publisher,
      keys,
      hub: store,
      first: firstOf(settings),
      beginnings: () => beginnings(db),
    }),
    warningsAfter: warningsWith(createWarningsAfter(publisher, checks, now), parts),
    readPorts: createReadPorts(publisher),
  };
}

/** Makes the client of an agent. The token of an enrolled one changes with each rotation. */
function createConnect(
  { settings, token }: HubGiven,
  keys: AgentKeys,
  store: Store,
  publisher: () => Publisher,
): (agent: StoredAgent) => AgentClient {
  const { agentUrl, agentTrust, agentDeadline: deadline } = settings;
  const asHub = {
    hub: store.id,
    term: () => store.term,
    isWatched: () => publisher().agents.all().length > 1,
    countSites: () => publisher().mostSites(),
    ...(deadline === undefined ? {} : { deadline }),
  };
  const first = createAgentClient({ ...asHub, url: agentUrl, token, trust: agentTrust });
  return ({ id, url, fingerprint, ...known }) => {
    if (url === null || fingerprint === null) return first;
    const stored = () =>
      publisher()
        .current()
        .agents.find((one) => one.id === id);
    // The last call to an agent comes when it is no longer stored.
    let { generation } = known;
    const tokenNow = () => {
      generation = stored()?.generation ?? generation;
      try {
        return keys.tokenOf({ id, generation, fingerprint });
      } catch (cause) {
        throw new Failure('AGENT_UNREACHABLE', messageOf(cause), { cause });
      }
    };
    return createAgentClient({ ...asHub, url, token: tokenNow, trust: { fingerprint } });
  };
}

const firstOf = ({ agentUrl: url, agentTrust: trust }: HubSettings) => ({
  url,
  fingerprint: trust && 'fingerprint' in trust ? trust.fingerprint : null,
});

/** What the operator should know; shown in the log and in the status. */
function warningsOf({ agentUrl }: HubSettings): string[] {
  if (isConfidential(agentUrl)) return [];
  return [
    'The connection to the agent is plain HTTP: anyone on the network path can read its token and control the proxy. Kept certificates are not sent to it. Enrol the agent by an invitation instead (signalbox agent --invite).',
  ];
}
