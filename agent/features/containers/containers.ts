/** Keeps a list of the containers beside Caddy, and answers as soon as there is another one. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CONTAINERS_BYTES,
  CONTAINERS_WAIT_MS,
  type Containers,
} from '../../../src/features/containers/wire.ts';
import { createConcurrencyLimit, messageOf, settleAll } from '../../../src/shared/async.ts';
import type { Log } from '../../../src/shared/log.ts';
import { createEngine, type EngineAddress, EngineFault } from './engine.ts';
import { type Facts, factsOf, idsIn } from './facts.ts';
import type { PACE } from './pace.ts';
import { type Place, reachAll } from './reach.ts';

export type ContainerSettings = {
  /** Null: nothing is asked. */
  engine: EngineAddress | null;
} & Pick<Containers, 'labels' | 'domains'>;

export type AgentContainers = {
  begin(): void;
  /** A list with another tag than `after`, or, after a while or once `signal` aborts, the same; as JSON. */
  answer(after: string | undefined, signal: AbortSignal): Promise<string>;
  /** Answers whoever waits, and asks nothing any more. Waits for nothing. */
  close(): void;
};

type Deps = {
  settings: ContainerSettings;
  place: () => Place;
  pace: typeof PACE;
  log: Log;
  /** Milliseconds that the engine may take for an answer. */
  deadline?: number;
};

/** More are no list of a machine, but a mistake or an attack. */
const MOST = 1_000;
/** For a list and whatever has changed in it. */
const LOOK_MS = 10_000;
const AT_ONCE = 4;

type Inspected = Map<string, { said: string; facts: Facts }>;

export function createContainers(deps: Deps): AgentContainers {
  const { settings, place, pace, log } = deps;
  const { engine: address, labels, domains } = settings;
  const closing = new AbortController();
  /** Questions under way. A signal made of the one above would never be freed. */
  const asking = new Set<AbortController>();
  const engine = address && createEngine(address, deps.deadline);
  const first = Promise.withResolvers<void>();
  const waiting = new Set<() => void>();
  let known: Inspected = new Map();
  let current = answerOf('down', 'The container engine has not answered yet.', null);
  let isFollowing = false;
  /** Failed looks in a row. */
  let failed = 0;
  let isDue = false;
  let [hurry, wake] = [() => {}, () => {}];

  function answerOf(
    state: Containers['engine'],
    detail: string | null,
    containers: Containers['containers'],
  ) {
    const rest = JSON.stringify({ engine: state, detail, labels, domains, containers });
    const tag = createHash('sha256').update(rest).digest('hex').slice(0, 32);
    return { state, detail, tag, text: `{"tag":"${tag}",${rest.slice(1)}` };
  }

  function set(next: typeof current): void {
    if (next.detail !== current.detail || next.state !== current.state) {
      const fields = { state: next.state, ...(next.detail !== null && { reason: next.detail }) };
      log('container engine', fields, next.state === 'down' ? 'warn' : 'info');
    }
    const isOther = next.tag !== current.tag;
    current = next;
    first.resolve();
    if (isOther) for (const answer of [...waiting]) answer();
  }

  /** Null for one that has been removed since it was listed. @throws EngineFault */
  async function inspected(id: string, signal: AbortSignal): Promise<Facts | null> {
    const said = await engine?.get(`/containers/${id}/json`, signal);
    return said ? factsOf(said, id) : null;
  }

  /** Ends what `job` asks once all is over. @throws what `job` throws */
  async function whileOpen(job: (signal: AbortSignal) => Promise<void>, most?: number) {
    const stopping = new AbortController();
    const timer = most === undefined ? undefined : setTimeout(() => stopping.abort(), most);
    asking.add(stopping);
    try {
      await job(stopping.signal);
    } finally {
      asking.delete(stopping);
      clearTimeout(timer);
    }
  }

  /** @throws EngineFault */
  async function look(signal: AbortSignal): Promise<void> {
    if (engine === null) return;
    const limit = createConcurrencyLimit({ concurrency: AT_ONCE });
    const listed = idsIn(await engine.get('/containers/json?all=1', signal), MOST);
    const found: Inspected = new Map();
    const inspect = async (id: string, said: string) => {
      const before = known.get(id);
      const facts = before?.said === said ? before.facts : await inspected(id, signal);
      if (facts === null) return;
      found.set(id, { said, facts });
    };
    await settleAll([...listed].map(([id, said]) => limit(() => inspect(id, said))));
    const facts = [...found.values()].map((one) => one.facts);
    const next = answerOf('up', null, reachAll(facts.toSorted(byId), place()));
    if (Buffer.byteLength(next.text) > CONTAINERS_BYTES) {
      throw new EngineFault('The container engine says more than 8 MiB of its containers.');
    }
    known = found;
    set(next);
  }

  /** One failure in between may be a restart; after that, nothing is known any more. */
  function fail(error: unknown): void {
    failed++;
    if (failed === 1 && current.state === 'up') return;
    known = new Map();
    if (!closing.signal.aborted) set(answerOf('down', messageOf(error), null));
  }

  async function keepLooking(): Promise<void> {
    while (!closing.signal.aborted) {
      isDue = false;
      await whileOpen(look, LOOK_MS).then(() => {
        failed = 0;
      }, fail);
      const wait = failed > 0 ? backoff(failed) : isFollowing ? pace.every : pace.poll;
      await rest(isDue ? pace.soon : wait);
    }
  }

  /** Waits, but only a moment longer once something has happened. */
  async function rest(milliseconds: number): Promise<void> {
    if (closing.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    let timer = setTimeout(resolve, milliseconds);
    hurry = () => {
      if (isDue) return;
      isDue = true;
      clearTimeout(timer);
      timer = setTimeout(resolve, Math.min(pace.soon, milliseconds));
    };
    await promise;
    clearTimeout(timer);
    hurry = () => {
      isDue = true;
    };
  }

  /** Until it can, the list is asked for again and again. */
  async function keepFollowing(): Promise<void> {
    for (let vain = 0; !closing.signal.aborted; vain++) {
      const seen = () => {
        [isFollowing, vain] = [true, 0];
        hurry();
      };
      await whileOpen(async (signal) => engine?.follow(seen, signal)).catch(() => undefined);
      isFollowing = false;
      hurry();
      await sleep(backoff(vain + 1), undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  const backoff = (times: number): number => pace.backoff[times - 1] ?? pace.backoff.at(-1) ?? 0;

  return {
    begin() {
      if (engine === null) return set(answerOf('off', null, null));
      void keepLooking();
      void keepFollowing();
    },

    async answer(after, signal) {
      const isOver = () => signal.aborted || closing.signal.aborted;
      await Promise.race([first.promise, aborted(signal)]);
      if (after === current.tag && !isOver()) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, CONTAINERS_WAIT_MS);
        waiting.add(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
        await promise;
        clearTimeout(timer);
        waiting.delete(resolve);
      }
      return current.text;
    },

    close() {
      closing.abort();
      for (const stopping of asking) stopping.abort();
      first.resolve();
      wake();
      for (const answer of [...waiting]) answer();
    },
  };
}

const byId = (a: Facts, b: Facts): number => (a.id < b.id ? -1 : 1);

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
