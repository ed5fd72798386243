/**
 * Ships the access log to a log engine: reads the files from the stored place on, sends batches, and
 * stores the place after each answer. What the engine cannot take stays in the files; nothing is
 * queued. Each entry arrives at least once, and twice only if an answer to it was lost.
 */
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDeadline } from '../../../src/shared/async.ts';
import { fileErrorOf } from '../../../src/shared/file-errors.ts';
import { reasonOf } from '../../../src/shared/log.ts';
import type { AgentCore } from '../../core.ts';
import { formatPosition } from '../../logs/files/log-position.ts';
import { follow } from '../../logs/tail/follow.ts';
import type { ShipEntry } from './format.ts';
import type { Pace } from './pace.ts';
import {
  bytesAfter,
  engineOf,
  loadPlace,
  type Place,
  placeAtEnd,
  type Resumption,
  resume,
  storePlace,
} from './place.ts';
import { deliver, type Engine, type Outcome, post, waitAfter } from './post.ts';
import { createReports } from './reports.ts';

export type Shipper = {
  /** Starts at the stored place, or at the end of the log as it is now. */
  begin(): void;
  /** Entries that were accepted and refused, and failed attempts, since the start. */
  counts(): { shipped: number; refused: number; failures: number };
  /**
   * How long the oldest entry that was not shipped has waited, in seconds, and how much of the log is
   * not shipped yet, in uncompressed bytes. @throws when a file cannot be read
   */
  lag(): Promise<{ seconds: number; bytes: number }>;
  /** Ends after the request in progress, or without its answer if that takes longer than 5 s. */
  end(): Promise<void>;
};

/** `placeFile`: where the agent stores how far it has got; its folder exists. */
export type ShipSettings = Readonly<{ engine: Engine; placeFile: string }>;

/** Engines take at least 4 MB at once, uncompressed. */
const BATCH_BYTES = 1 << 20;
const CLOSE_MS = 5_000;

/** @param now milliseconds since 1970 */
export function createShipper(
  core: Pick<AgentCore, 'accessLog' | 'log' | 'warn'>,
  { engine, placeFile }: ShipSettings,
  pace: Pace,
  now = Date.now,
): Shipper {
  const file = core.accessLog;
  const stopping = new AbortController();
  const hangUp = new AbortController();
  const name = engineOf(engine.url);
  const reports = createReports(core, pace.away, now);
  const counts = { shipped: 0, refused: 0, failures: 0 };
  let place: Place | undefined;
  let isStored = false;
  /** Failures in a row. */
  let attempts = 0;
  /** The time of the oldest entry that is read but not accepted yet. */
  let oldest: number | undefined;
  let running = Promise.resolve();

  async function store(): Promise<void> {
    if (!place) return;
    await storePlace(placeFile, place);
    isStored = true;
  }

  async function commit(entries: readonly ShipEntry[], outcome: Outcome): Promise<void> {
    const last = entries.at(-1);
    if (!last) return;
    const isAccepted = outcome.kind === 'accepted';
    if (isAccepted) counts.shipped += entries.length;
    else counts.refused += entries.length;
    for (const { position } of isAccepted ? [] : entries) {
      reports.leftOut(formatPosition(position), outcome);
    }
    const { position, time } = last;
    place = { position, time, engine: isAccepted ? name : (place?.engine ?? null) };
    isStored = false;
    await store();
  }

  /** @returns milliseconds to wait until the next attempt */
  function failed(outcome: Exclude<Outcome, { kind: 'accepted' }>): number {
    counts.failures++;
    const asked = outcome.kind === 'away' ? (outcome.wait ?? 0) : 0;
    const wait = waitAfter(pace, attempts++, asked);
    reports.failed(outcome, wait);
    return wait;
  }

  /** @returns why the entries have to wait; undefined if they have been dealt with */
  async function send(entries: readonly ShipEntry[]): Promise<Outcome | undefined> {
    const outcome = await deliver(
      entries,
      (part) => post(engine, part, hangUp.signal),
      () => place?.engine === name,
      commit,
    );
    if (!outcome) nothingWaits();
    return outcome;
  }

  function nothingWaits(): void {
    attempts = 0;
    oldest = undefined;
    reports.succeeded();
  }

  /** Ships until something goes wrong. @returns milliseconds to wait before reading on */
  async function shipFrom({ after, isAfterGap }: Resumption, from: Place): Promise<number> {
    const { signal } = stopping;
    const turns = createDeadline(Number.POSITIVE_INFINITY);
    let gap = isAfterGap;
    let entries: ShipEntry[] = [];
    let bytes = 0;
    let due = 0;
    for await (const batch of follow(file, after, signal)) {
      for (const { facts, line, position } of batch.entries) {
        const time = Number.isNaN(facts.time) ? now() : facts.time;
        if (entries.length === 0) due = performance.now() + pace.batch;
        if (gap) reports.lost(from.time, time);
        gap = false;
        oldest ??= time;
        entries.push({ line, time, position });
        bytes += line.length;
      }
      await turns.yieldTurn();
      const isEnd = batch.isAtEnd || batch.missed === null;
      if (!isEnd && bytes < BATCH_BYTES && (entries.length === 0 || performance.now() < due)) {
        continue;
      }
      const outcome = entries.length > 0 ? await send(entries) : nothingWaits();
      if (outcome && outcome.kind !== 'accepted') return failed(outcome);
      entries = [];
      bytes = 0;
      if (batch.missed === null) return 0;
      await pause(batch.isAtEnd ? pace.batch : pace.rest);
    }
    return 0;
  }

  const pause = (milliseconds: number): Promise<unknown> =>
    sleep(milliseconds, undefined, { signal: stopping.signal }).catch(() => undefined);

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      let wait = pace.batch;
      try {
        if (!place) {
          place = await loadPlace(placeFile);
          isStored = place !== undefined;
          place ??= await placeAtEnd(file, now());
        }
        if (!isStored) await store();
        const from = place && (await resume(file, place));
        if (place && from) wait = await shipFrom(from, place);
      } catch (error) {
        const reason = fileErrorOf(error, (path) => basename(path)) ?? reasonOf(error);
        wait = failed({ kind: 'setup', reason });
      }
      await pause(wait);
    }
  }

  return {
    begin() {
      running = run();
    },
    counts: () => ({ ...counts }),
    async lag() {
      const seconds = oldest === undefined ? 0 : Math.max(0, now() - oldest) / 1000;
      return { seconds, bytes: place ? await bytesAfter(file, place) : 0 };
    },
    async end() {
      stopping.abort();
      const timer = setTimeout(() => hangUp.abort(), CLOSE_MS);
      await running;
      clearTimeout(timer);
    },
  };
}
