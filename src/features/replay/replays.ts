/**
 * Replays: what a change would have done to the requests of the last days. Each agent that it concerns compares its
 * own; here that is begun, added up and ended. No agent is asked how far it is until somebody asks the hub.
 */

import type { AgentClient } from '../../hub/agents/client.ts';
import type { Change } from '../../hub/model/changes.ts';
import { hostsOf } from '../../hub/model/endpoints.ts';
import { concernedBy, isPublished } from '../../hub/model/entities.ts';
import { isRejection } from '../../hub/model/refusal.ts';
import { destinationsOf } from '../../hub/publish/preview.ts';
import type { Publisher } from '../../hub/publish/publisher.ts';
import { Failure, wordsOf } from '../../shared/failure.ts';
import {
  END,
  REPLAY_DAYS,
  REPLAY_MS,
  REPLAY_REQUESTS,
  type ReplayGroup,
  type ReplayRequest,
  type ReplayState,
  START,
  STATE,
} from './wire.ts';

type ReplayOptions = Partial<Pick<ReplayRequest, 'days' | 'requests' | 'signedIn'>> & {
  /** Only at this agent's proxy; without, at all that the change concerns. */
  agent?: string | undefined;
};

/** Of several agents, a group names the one whose proxy it is about. */
export type Replayed = Omit<ReplayState, 'groups'> & {
  groups: (ReplayGroup & { agent?: string })[];
};

type ReplaysDeps = {
  publisher: Pick<Publisher, 'current' | 'preview' | 'targets'>;
  now: () => Date;
};

export type Replays = {
  /**
   * @returns its id, which nobody can guess
   * @throws Failure if the change would be refused, or no agent can replay requests; NOT_FOUND if there is no such
   * agent; RATE_LIMITED while another one runs; STOPPING
   */
  start(change: Change<unknown>, options?: ReplayOptions): Promise<string>;
  /** How far it is, of all agents together. @throws Failure NOT_FOUND */
  state(id: string): Promise<Replayed>;
  /** Ends and forgets it. @throws Failure NOT_FOUND */
  end(id: string): Promise<void>;
  /** Ends all of them, and starts no more. */
  stop(): Promise<void>;
};

/** What one agent compares; `id` is its own, null if it did not begin. */
type Part = {
  agent: string | undefined;
  client: AgentClient;
  id: string | null;
  state: ReplayState;
};

/** `until`: when it is forgotten, in milliseconds. */
type Replay = { parts: readonly Part[]; hasEnded: boolean; until: number };

/** Milliseconds for which a result is kept, and how many are. */
const KEPT_MS = 10 * 60_000;
const MOST_KEPT = 10;
const RETRY_AFTER_SECONDS = 20;

const NOTHING = { done: 0, of: 0, same: 0, differ: 0, groups: [], leftOut: [] };

export function createReplays({ publisher, now }: ReplaysDeps): Replays {
  const { targets, preview } = publisher;
  const replays = new Map<string, Replay>();
  let isStopping = false;

  function keep(parts: readonly Part[]): string {
    const id = crypto.randomUUID();
    const [oldest] = replays.keys();
    if (oldest !== undefined && replays.size === MOST_KEPT) {
      void end(oldest).catch(() => undefined);
    }
    replays.set(id, { parts, hasEnded: false, until: now().getTime() + REPLAY_MS + KEPT_MS });
    return id;
  }

  function find(id: string): Replay {
    const replay = replays.get(id);
    if (replay && now().getTime() <= replay.until) return replay;
    replays.delete(id);
    throw new Failure('NOT_FOUND', 'There is no such replay.');
  }

  async function end(id: string): Promise<void> {
    const { parts } = find(id);
    replays.delete(id);
    await endAll(parts);
  }

  /** @throws Failure if the change would be refused */
  async function planned(change: Change<unknown>) {
    const set = publisher.current();
    const plan = await change(set, now());
    if ('done' in plan) return { set, next: set, steps: [] };
    const { refusal } = await preview(() => plan);
    if (refusal) throw refusal;
    return { set, next: plan.next, steps: plan.steps.filter(isPublished) };
  }

  return {
    async start(change, { agent, ...options } = {}) {
      const only = agent ? targets.named(agent) : null;
      const { set, next, steps } = await planned(change);
      const { asked, skipped } = destinationsOf(targets, { next, steps });
      const how = { days: REPLAY_DAYS.usual, requests: REPLAY_REQUESTS.usual, ...options };
      const wanted = [...asked, ...skipped.keys()].flatMap((target) => {
        const concerns = (step: (typeof steps)[number]) =>
          concernedBy([step], next).some(({ id }) => id === target.id);
        const hosts = hostsOf(set, next, steps.filter(concerns));
        return (only ?? target) === target && hosts?.length !== 0 ? [{ target, hosts }] : [];
      });
      if (isStopping) throw stopping();
      const errors: unknown[] = [];
      const begun = wanted.map(async ({ target, hosts }): Promise<Part> => {
        const part = { agent: target.label(), client: target.client };
        try {
          const away = skipped.get(target);
          if (away) throw away;
          const request = { ...how, hosts };
          const { id } = await target.gateway.askBy(target.next(next, steps), (proxyfile) =>
            target.client.send(START, { proxyfile, ...request }),
          );
          return { ...part, id, state: { ...NOTHING, state: 'running' } };
        } catch (error) {
          errors.push(error);
          return { ...part, id: null, state: failed(NOTHING, error) };
        }
      });
      const parts = await Promise.all(begun);
      const hasPart = parts.length === 0 || errors.length < parts.length;
      const refusal = errors.find((error) => !hasPart || isForAll(error));
      if (refusal === undefined && !isStopping) return keep(parts);
      await endAll(parts);
      throw refusal === undefined ? stopping() : explained(refusal);
    },

    async state(id) {
      const replay = find(id);
      const { parts } = replay;
      await Promise.all(parts.map(look));
      const sum = sumOf(parts);
      if (sum.state !== 'running' && !replay.hasEnded) {
        replay.hasEnded = true;
        replay.until = now().getTime() + KEPT_MS;
      }
      return sum;
    },

    end,
    async stop() {
      isStopping = true;
      const all = [...replays.values()];
      replays.clear();
      await Promise.all(all.map(({ parts }) => endAll(parts)));
    },
  };
}

/** Asks how far an agent is, unless it has ended. Never rejects. */
async function look(part: Part): Promise<void> {
  if (part.id === null || part.state.state !== 'running') return;
  const found = await part.client
    .ask(STATE, { id: part.id })
    .catch((error) => failed(part.state, error));
  // Somebody else's question may have been answered meanwhile.
  if (part.state.state === 'running') part.state = found;
}

/** Never rejects: what an agent cannot be told to end, ends after a minute. */
const endAll = (parts: readonly Part[]) =>
  Promise.allSettled(parts.map(({ id, client }) => id !== null && client.send(END, { id })));

const failed = (state: Omit<ReplayState, 'state'>, error: unknown): ReplayState => ({
  ...state,
  state: 'failed',
  detail: wordsOf(error),
});

/** What is found of a replay, its agents together: it has failed if all of them have, or nothing was compared. */
function sumOf(parts: readonly Part[]): Replayed {
  const states = parts.map(({ state }) => state);
  const sum = (numberOf: (one: ReplayState) => number) =>
    states.reduce((total, one) => total + numberOf(one), 0);
  const reasons = parts.flatMap(({ agent, state: { state, detail = '' } }) =>
    state === 'failed' ? [agent === undefined ? detail : `${agent}: ${detail}`] : [],
  );
  const isEmpty = sum(({ same, differ }) => same + differ) === 0;
  const hasFailed = reasons.length > 0 && (isEmpty || reasons.length === parts.length);
  const isRunning = states.some(({ state }) => state === 'running');
  const leftOut = new Map(hasFailed ? [] : reasons.map((reason) => [reason, 0]));
  for (const { reason, count } of states.flatMap((one) => one.leftOut)) {
    leftOut.set(reason, (leftOut.get(reason) ?? 0) + count);
  }
  const groups = parts.flatMap(({ agent, state }) =>
    state.groups.map((group, rank) => ({ ...group, ...(agent !== undefined && { agent }), rank })),
  );
  return {
    state: isRunning ? 'running' : hasFailed ? 'failed' : 'done',
    done: sum(({ done }) => done),
    // An agent that has failed compares no more.
    of: sum(({ state, done, of }) => (state === 'failed' ? done : of)),
    same: sum(({ same }) => same),
    differ: sum(({ differ }) => differ),
    // Each agent has the most serious one first.
    groups: groups.toSorted((a, b) => a.rank - b.rank).map(({ rank: _, ...group }) => group),
    leftOut: [...leftOut].map(([reason, count]) => ({ reason, count })),
    ...(hasFailed && { detail: reasons.join(' ') }),
  };
}

/** Whether an agent's refusal is not its own matter. */
const isForAll = (error: unknown): boolean =>
  !(error instanceof Failure) || error.code === 'RATE_LIMITED' || isRejection(error);

const explained = (error: unknown): unknown =>
  error instanceof Failure && error.code === 'RATE_LIMITED'
    ? new Failure('RATE_LIMITED', 'Another replay is running. Try again later.', {
        retryAfter: RETRY_AFTER_SECONDS,
      })
    : error;

const stopping = () => new Failure('STOPPING', 'The hub is stopping.');
