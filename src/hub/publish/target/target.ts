/** One agent as the publisher sees it: what its proxy is to serve, does serve, and refuses. */
import { Failure } from '../../../shared/failure.ts';
import type { Log } from '../../../shared/log.ts';
import type { ProxyStatus, StillOpen } from '../../../shared/wire/proxy.ts';
import type { AgentClient } from '../../agents/client.ts';
import { labelOf, type StoredAgent } from '../../model/agent.ts';
import { isPlacedOn, setFor } from '../../model/applied.ts';
import type { Preamble, Step } from '../../model/changes.ts';
import type { Dialect } from '../../model/containment.ts';
import { changedVhosts, concerns } from '../../model/entities.ts';
import type { Store } from '../../model/store.ts';
import type { SiteSet, Vhost } from '../../model/vhost.ts';
import { type Acceptance, createAcceptance } from './acceptance.ts';
import { createGateway, type Gateway, type PairOf } from './gateway.ts';
import { createLastSeen, type LastSeen } from './last-seen.ts';
import { createLeftOut, type LeftOut, type LeftOutPace } from './left-out.ts';
import type { PublishTimer } from './outcome.ts';
import {
  type ContentionPace,
  createStanding,
  isClaimed,
  isOthers,
  isOurs,
  otherHub,
  type Standing,
} from './standing.ts';
import { createUpkeep, type Upkeep } from './upkeep.ts';
import { canLeaveOut, type Veto, vetoOf } from './veto.ts';

export type TargetDeps = {
  id: number;
  url: string | null;
  client: AgentClient;
  store: Store;
  /** The whole set that is accepted and stored. */
  stored: () => SiteSet;
  startTimer: PublishTimer;
  importDirs: readonly string[];
  /** Of certificates that it is to have; null: none may travel there. */
  pairOf?: PairOf | null | undefined;
  pace: { leftOut: LeftOutPace; contention: ContentionPace };
  now: () => Date;
  log: Log;
};

/** What a proxy served, as of how many publishes. */
type Look = Readonly<{ found: ProxyStatus; published: number }>;

export type Target = Omit<LastSeen, 'noteLive' | 'noteLoaded' | 'notePublished'> &
  Acceptance & {
    readonly id: number;
    readonly url: string | null;
    readonly client: AgentClient;
    readonly gateway: Gateway;
    readonly leftOut: LeftOut;
    readonly upkeep: Upkeep;
    readonly standing: Standing;
    agent(): StoredAgent;
    /** Whose proxy it is, in words for people: as `labelOf`. */
    label(): string | undefined;
    /** As `dialect`, for a set in which it matters which Caddy runs now. */
    dialectFor(set: SiteSet): Promise<Dialect>;
    /** The part of a set that is to be live here once these steps are taken. */
    next(set: SiteSet, steps: readonly Step[]): SiteSet;
    /**
     * Makes that part live. @param replace whether the change may replace what others published
     * @returns which connections outlive that
     * @throws Failure
     */
    load(set: SiteSet, steps: readonly Step[], replace: boolean): Promise<readonly StillOpen[]>;
    /**
     * Whether it has a say in what these steps led to, which it refused; null if they alone can be why.
     * @throws Failure if the agent can no longer be asked
     */
    veto(set: SiteSet, steps: readonly Step[]): Promise<Veto | null>;
    /** Has the proxy validate that part, so that `load` does not. @throws Failure */
    prepare(set: SiteSet, steps: readonly Step[]): Promise<void>;
    /** Makes what is stored live again, if what these steps led to is. Never fails. */
    takeBack(set: SiteSet, steps: readonly Step[]): Promise<void>;
    /** What these steps led to is live and recorded. */
    settle(set: SiteSet, steps: readonly Step[]): void;
    /** Since when the proxy lacks a change that is recorded; null if it lacks none. */
    behindSince(): Date | null;
    /** Notes that it lacks what these steps led to. */
    fellBehind(time: Date, set: SiteSet, steps: readonly Step[]): void;
    /** Notes that the first publish begins, and nothing is served that it could take away. */
    setVacant(isVacant: boolean): void;
    /**
     * Notes what goes live, and is recorded or taken back then: meanwhile it counts as what is stored.
     * Null: nothing.
     */
    setOnTrial(...trial: [set: SiteSet, steps: readonly Step[]] | [null]): void;
    isOnTrial(): boolean;
    isInStep(status: ProxyStatus): boolean;
    /** Whether an agent that did not answer does now, and its proxy with it. Never fails. */
    isBack(): Promise<boolean>;
    /** Asks what the proxy serves: wait for it while others publish. @throws Failure */
    look(): Promise<Look>;
    /**
     * Publishes the stored set again if the proxy serves another one; call it between two publishes.
     * @param look asks again if it is outdated @throws Failure
     */
    compare(look: Look): Promise<void>;
  };

/**
 * The text of a policy is the same in each of its vhosts: it is validated in some of them before all
 * of them are loaded, which refuses what only fails in another.
 */
const ENOUGH_OF_POLICY = 8;
/** Milliseconds for an agent that did not answer before. */
const BACK_MS = 1_500;

export function createTarget(deps: TargetDeps): Target {
  const { id, url, client, store, stored, startTimer, importDirs } = deps;
  const { pace, now, log } = deps;
  const hasOthers = () => stored().agents.length > 1;
  const lastSeen = createLastSeen({ client, hasOthers, importDirs, now });
  const { status, watched } = lastSeen;
  /** Nothing is served that a first publish could take away. */
  let vacant = false;
  /** The stored set was not live yet since the start: what is live instead may be the newer one. */
  let starting = true;
  let onTrial: SiteSet | null = null;
  let behindSince = store.behindSince(id);
  const gateway = createGateway(client, lastSeen, deps.pairOf);
  const standing = createStanding(store, log, pace.contention);
  const leftOut = createLeftOut(log, () => performance.now(), pace.leftOut);
  const own = () => setFor(stored(), id);
  const clock = () => performance.now();
  const upkeep = createUpkeep({
    gateway,
    leftOut,
    startTimer,
    store,
    stored: own,
    pace: pace.leftOut,
    clock,
  });

  function agent(): StoredAgent {
    const found = stored().agents.find((one) => one.id === id);
    if (found) return found;
    throw new Failure('NOT_FOUND', 'The agent has been removed.');
  }

  const next = (set: SiteSet, steps: readonly Step[]) => leftOut.after(setFor(set, id), steps);

  /** Those of the vhosts that are placed here. */
  function changed(steps: readonly Step[], most?: number): Vhost[] | undefined {
    const concerning = steps.filter((step) => step.kind !== 'preamble' || concernsHere(step.after));
    return changedVhosts(concerning, most)?.filter((vhost) => isPlacedOn(vhost, id));
  }
  const concernsHere = (of: Preamble | null) => of?.agent == null || of.agent.id === id;

  async function veto(set: SiteSet, steps: readonly Step[]): Promise<Veto | null> {
    const concerning = steps.filter((step) => concerns(step, agent()));
    // With no others, it is the stored site that is named, unless a preamble fixes it.
    const isAlone = !hasOthers();
    const isPreamble = concerning.some(({ kind }) => kind === 'preamble');
    if (!store.hasPublished() || (isAlone && !isPreamble)) return null;
    const found = await vetoOf({
      gateway,
      before: leftOut.of(own()),
      after: next(set, steps),
      steps: concerning,
      changed: changed(steps) ?? [],
      known: upkeep.failure(),
    });
    return isAlone && found?.of === 'stored' && !canLeaveOut(found) ? null : found;
  }

  const acceptance = createAcceptance({
    gateway,
    leftOut,
    own,
    next,
    changed,
    veto,
    watched,
  });

  function isInStep(status: ProxyStatus): boolean {
    if (!isOurs(status, store)) return !status.foreign;
    if (!isClaimed(status, store)) return false;
    // A certificate whose key is lost does not come by publishing again.
    if (status.checked === false && gateway.hasKeys(own())) return false;
    const isOf = (set: SiteSet) => {
      const digest = gateway.digestOf(set);
      return status.liveDigest === digest && (status.drift || status.fileDigest === digest);
    };
    return isOf(leftOut.of(own())) || (onTrial !== null && isOf(onTrial));
  }

  return {
    ...lastSeen,
    ...acceptance,
    id,
    url,
    client,
    gateway,
    leftOut,
    upkeep,
    standing,
    agent,
    label: () => labelOf(id, stored().agents),
    async dialectFor({ preamble, vhosts }) {
      const mayHold = preamble.includes('<<') || vhosts.some(({ config }) => config.includes('<<'));
      if (mayHold && !lastSeen.skipped()) await status().catch(() => undefined);
      return lastSeen.dialect();
    },
    next,
    veto,

    load(set, steps, replace) {
      return watched(
        gateway.publish(next(set, steps), {
          changed: changed(steps, ENOUGH_OF_POLICY),
          replace: replace || vacant || store.mayReplace(),
          keep: starting,
        }),
      );
    },

    prepare: (set, steps) =>
      watched(gateway.prepare(next(set, steps), changed(steps, ENOUGH_OF_POLICY))),

    async takeBack(set, steps) {
      const expects = gateway.digestOf(next(set, steps));
      const back = leftOut.of(own());
      if (gateway.digestOf(back) === expects) return;
      try {
        await watched(gateway.publish(back, { expects, changed: [] }));
        noteLive();
      } catch (error) {
        log('not taken back', { agent: agent().name, reason: String(error) }, 'warn');
        upkeep.markUnknown();
      }
    },

    settle(set, steps) {
      leftOut.settle(setFor(set, id), steps);
      vacant = false;
      starting = false;
      upkeep.settle();
      standing.see(null);
      noteLive();
      caughtUp();
    },

    behindSince: () => behindSince,
    fellBehind(time, set, steps) {
      behindSince ??= time;
      // What it refused is not what it will get.
      leftOut.settle(setFor(set, id), steps);
    },

    setVacant(isVacant) {
      vacant = isVacant;
    },

    setOnTrial(set, steps = []) {
      onTrial = set && next(set, steps);
    },

    isOnTrial: () => onTrial !== null,
    isInStep,

    async isBack() {
      if (!(await client.answers(BACK_MS))) return false;
      await status().catch(() => undefined);
      return lastSeen.away() === null;
    },

    look,
    async compare(last) {
      store.assertInPlace();
      const { found } = last.published === gateway.published() ? last : await look();
      standing.see(found);
      if (isOthers(found, store)) throw otherHub(found, store);
      if (!isOurs(found, store)) return;
      const away = lastSeen.away();
      if (away) throw away;
      const isSure = !upkeep.isUnsure();
      const set = leftOut.of(own());
      const digest = gateway.digestOf(set);
      const { liveDigest, fileDigest } = found;
      // Another version of the proxy has other words for the same.
      const isForeign = (file: string) => !gateway.isOfAnyVersion(set, file);
      const isKnown = !starting && isSure && behindSince === null;
      const isReplaced = isKnown && liveDigest !== null && liveDigest !== digest;
      if (isReplaced && standing.contention.isWaiting()) return;
      await watched(
        upkeep.look(() => isInStep(found), {
          keep: starting && fileDigest !== null && fileDigest !== digest && isForeign(fileDigest),
          ...(liveDigest === null ? {} : { expects: liveDigest }),
        }),
      );
      if (isReplaced) standing.contention.replaced();
      if (!isInStep(found)) noteLive();
      starting = false;
      caughtUp();
    },
  };

  async function look(): Promise<Look> {
    const published = gateway.published();
    return { found: await status(), published };
  }

  /** What is stored was made live since the last look. */
  function noteLive(): void {
    lastSeen.noteLive(gateway.digestOf(leftOut.of(own())));
  }

  /** If that cannot be stored, the next look tries again: what was accepted is accepted. */
  function caughtUp(): void {
    lastSeen.notePublished();
    if (behindSince === null) return;
    try {
      store.caughtUp(id);
      behindSince = null;
    } catch (error) {
      log('not noted', { agent: agent().name, reason: String(error) }, 'warn');
    }
  }
}
