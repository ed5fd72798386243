/**
 * When which site is asked between changes. Each has its own moment within its interval, spread evenly by
 * its id, so that nothing comes all at once, not after a start either; and is never asked twice at a time.
 */
import type { Agent } from '../../hub/agents/agents.ts';
import { setFor } from '../../hub/model/applied.ts';
import { endpointsUnder } from '../../hub/model/endpoints.ts';
import type { SiteSet, Vhost } from '../../hub/model/vhost.ts';
import type { Publisher } from '../../hub/publish/publisher.ts';
import {
  type ChecksAnswer,
  type CheckTarget,
  everyOf,
  type RoundRequest,
} from '../../shared/wire/checks.ts';

/** What came of asking a vhost at one agent. */
export type Answer = ChecksAnswer['answers'][number];

/** A vhost with a check, and whom to ask what; `every` in seconds. */
type Watched = Readonly<{
  vhost: Vhost;
  every: number;
  targets: ReadonlyMap<number, CheckTarget>;
}>;

/** A vhost that was asked, by agent; those that could not tell are missing. */
export type Heard = Readonly<{ vhost: Vhost; answers: ReadonlyMap<number, Answer> }>;

/** `look`: milliseconds from one look at what is due to the next; `second`: how long one of `every` is. */
export type RoundsPace = Readonly<{ look: number; second: number }>;

type RoundsDeps = {
  publisher: Pick<Publisher, 'current' | 'agents' | 'isOnTrial'>;
  /** Whether a vhost failed when it was asked last: it is asked apart from the others. */
  hasFailed: (vhost: Vhost) => boolean;
  /** Called with each vhost whose answers are known, as long as it is what was asked. */
  heard: (heard: Heard) => void;
  pace: Pick<RoundsPace, 'second'>;
  /** Milliseconds from a clock that is never set. */
  elapsed: () => number;
  /** From 0 to 1. */
  random?: () => number;
};

type Rounds = {
  /** Asks what is due, without waiting for the answers. Never fails. */
  look(): void;
  /** Nothing is heard once it has returned. */
  end(): void;
};

/** Multiples of it, without their whole part, are spread as evenly as can be, however many there are. */
const GOLDEN = 0.618_033_988_749_895;
/** How much later than its moment a site is asked at most, as a part of its interval. */
const JITTER = 1 / 20;

/** `at`: its moment; `due`: when it is asked. */
type Turn = { every: number; at: number; due: number };

export function createRounds(deps: RoundsDeps): Rounds {
  const { publisher, hasFailed, heard, pace, elapsed, random = Math.random } = deps;
  const shift = random();
  const turns = new Map<number, Turn>();
  const underWay = new Set<number>();
  let isStopped = false;

  const jittered = (at: number, every: number) => at + random() * every * JITTER;

  /** Whether it is due; if so, it gets its next turn. */
  function isDue({ vhost: { id }, every: seconds }: Watched, now: number): boolean {
    const every = seconds * pace.second;
    const turn = turns.get(id);
    if (turn?.every !== every) {
      const at = now + ((id * GOLDEN + shift) % 1) * every;
      turns.set(id, { every, at, due: jittered(at, every) });
      return false;
    }
    if (now < turn.due || underWay.has(id)) return false;
    // What was missed is not made up for.
    turn.at += Math.max(1, Math.ceil((now - turn.at) / every)) * every;
    turn.due = jittered(turn.at, every);
    return true;
  }

  function look(): void {
    const now = elapsed();
    const set = publisher.current();
    const all = watchedIn(set);
    if (turns.size > all.size) {
      for (const id of turns.keys()) if (!all.has(id)) turns.delete(id);
    }
    const due = [...all.values()].filter((one) => isDue(one, now));
    if (due.length === 0) return;
    const { failed = [], others = [] } = Object.groupBy(due, ({ vhost }) =>
      hasFailed(vhost) ? 'failed' : 'others',
    );
    // One that hangs holds up the answers of those that are asked with it.
    for (const group of [failed, others]) if (group.length > 0) void ask(group);
  }

  async function ask(group: readonly Watched[]): Promise<void> {
    for (const { vhost } of group) underWay.add(vhost.id);
    const found = await Promise.all(publisher.agents.all().map((agent) => askAt(agent, group)));
    for (const { vhost } of group) {
      underWay.delete(vhost.id);
      if (isStopped || watchedIn(publisher.current()).get(vhost.id)?.vhost !== vhost) continue;
      const answers = found.flatMap(({ id, answers }): [number, Answer][] => {
        const answer = answers.get(vhost);
        return answer ? [[id, answer]] : [];
      });
      if (answers.length > 0) heard({ vhost, answers: new Map(answers) });
    }
  }

  /** Nothing from an agent that does not answer, or serves what may be taken back. Never fails. */
  async function askAt({ id, client }: Agent, group: readonly Watched[]) {
    const asked = group.filter(({ targets }) => targets.has(id));
    const nothing = { id, answers: new Map<Vhost, Answer>() };
    if (asked.length === 0 || client.isSilent() || publisher.isOnTrial(id)) return nothing;
    const checks = asked.flatMap(({ targets }) => targets.get(id) ?? []);
    const answers = await answersTo(client, { checks });
    if (publisher.isOnTrial(id)) return nothing;
    return { id, answers: new Map(asked.flatMap(({ vhost }, at) => pairOf(vhost, answers[at]))) };
  }

  return {
    look,
    end() {
      isStopped = true;
    },
  };
}

const pairOf = (vhost: Vhost, answer: Answer | undefined): [Vhost, Answer][] =>
  answer ? [[vhost, answer]] : [];

/** Empty if the agent cannot tell. Never fails. */
const answersTo = (client: Agent['client'], request: RoundRequest): Promise<readonly Answer[]> =>
  client.round(request).then(
    ({ answers }) => answers,
    () => [],
  );

const known = new WeakMap<SiteSet, ReadonlyMap<number, Watched>>();

/** The vhosts of a set that are asked between changes, by id: those whose address is known. */
export function watchedIn(set: SiteSet): ReadonlyMap<number, Watched> {
  const last = known.get(set);
  if (last) return last;
  const wanted = new Map<number, Watched & { targets: Map<number, CheckTarget> }>();
  for (const { id } of set.agents) {
    const { preamble, vhosts } = setFor(set, id);
    const endpointsOf = endpointsUnder(preamble);
    for (const vhost of vhosts) {
      const { check, enabled } = vhost;
      if (!enabled || check === null || everyOf(check) === 0) continue;
      const [endpoint] = endpointsOf(vhost);
      if (!endpoint) continue;
      const one = wanted.get(vhost.id) ?? { vhost, every: everyOf(check), targets: new Map() };
      one.targets.set(id, { ...endpoint, check });
      wanted.set(vhost.id, one);
    }
  }
  known.set(set, wanted);
  return wanted;
}
