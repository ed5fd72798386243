/** Looks after the rolled segments in the background: packs them, and deletes what is not kept. */
import { readdir, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { every } from '../../../src/shared/every.ts';
import { type Log, reasonOf } from '../../../src/shared/log.ts';
import type { Pace } from '../../pace.ts';
import {
  absent,
  COMPANIONS,
  formsOf,
  listSegments,
  plainPathOf,
  type Segment,
} from '../files/segments.ts';
import { packSegment } from './pack-segment.ts';

type Keeper = {
  /** One round: what it cannot do is logged. Not to be called again before it is over. */
  run(): Promise<void>;
  /** Runs now and from then on again and again. */
  begin(): void;
  /** What the operator should know now. */
  warnings(): string[];
  /** After the segment that is being packed. */
  end(): Promise<void>;
};

type KeeperDeps = {
  /** The path of the live file. */
  file: string;
  limits: Limits;
  pace: Pace['keeper'];
  log: Log;
  /** Called when a segment has been packed. */
  onPacked?: () => void;
  /** Gets what the operator should know, after each round. */
  onWarnings?: (found: string[]) => void;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** Whether the disk of a folder is nearly full. */
  isFull?: (folder: string) => Promise<boolean>;
};

const MIB = 2 ** 20;
/** About an hour, in rounds. The disk may have filled up only for a while. */
const LONGEST_PAUSE = 360;

export function createKeeper(deps: KeeperDeps): Keeper {
  const { file, limits, pace, log, onPacked, now = Date.now, isFull = isNearlyFull } = deps;
  const folder = dirname(file);
  /** Segments that could not be packed, by path: why, how often, and how many rounds are left out now. */
  const refused = new Map<string, { reason: string; times: number; pause: number }>();
  let announced: { text: string; due: number } | undefined;
  let deletedForSpace = 0;
  let isFullNow = false;
  /** Why the last round failed. */
  let failure = '';
  let isEnded = false;

  async function run(): Promise<void> {
    try {
      const segments = await listSegments(file);
      // If a file was renamed meanwhile, the next round will see it.
      if (!segments || segments.length === 0) return;
      const kept = await deleteForSpace(await deleteExpired(segments));
      for (const path of refused.keys()) {
        if (!kept.some((segment) => segment.path === path)) refused.delete(path);
      }
      await deleteRemains();
      for (const segment of kept.toReversed()) {
        if (isEnded) return;
        if (segment.form === 'plain' && !segment.live) await pack(segment);
      }
      failure = '';
    } catch (error) {
      // Once, not in each round.
      if (failure !== reasonOf(error))
        log('rotated access logs not kept', { reason: reasonOf(error) }, 'warn');
      failure = reasonOf(error);
    }
  }

  async function deleteExpired(segments: Segment[]): Promise<Segment[]> {
    const expired = expiredOf(segments, limits, now());
    announced ??= announce(expired, limits, now() + pace.grace);
    if (now() < announced.due) return segments;
    announced.text = '';
    for (const segment of expired) {
      await remove(segment);
      log('rotated access log deleted', { file: segment.path });
    }
    return segments.filter((segment) => !expired.includes(segment));
  }

  function announce(expired: readonly Segment[], settings: Limits, due: number) {
    if (expired.length === 0) return { text: '', due: 0 };
    const bytes = expired.reduce((sum, { size }) => sum + size, 0);
    const text =
      `${expired.length} rotated access logs (${Math.ceil(bytes / MIB)} MiB) exceed the ` +
      `limits and will be deleted at ${new Date(due).toISOString()}.`;
    log('rotated access logs will be deleted', { ...settings, segments: expired.length }, 'warn');
    return { text, due };
  }

  async function deleteForSpace(segments: Segment[]): Promise<Segment[]> {
    const kept = [...segments];
    isFullNow = await isFull(folder);
    while (isFullNow) {
      // A plain one is about to take less room, unless it could not be packed.
      const oldest = kept.findLast(
        ({ form, live, path }) => !live && (form !== 'plain' || refused.has(path)),
      );
      if (!oldest) break;
      await remove(oldest);
      kept.splice(kept.indexOf(oldest), 1);
      deletedForSpace++;
      log('rotated access log deleted, the disk is nearly full', { file: oldest.path }, 'warn');
      isFullNow = await isFull(folder);
    }
    return kept;
  }

  async function remove(segment: Segment): Promise<void> {
    const plain = plainPathOf(segment);
    for (const path of formsOf(plain)) await rm(path, { force: true });
    for (const suffix of COMPANIONS) await rm(plain + suffix, { force: true });
  }

  /** What an interrupted run left, and what belonged to segments that someone else has deleted. */
  async function deleteRemains(): Promise<void> {
    const names = new Set((await readdir(folder).catch(absent)) ?? []);
    const prefix = basename(file).replace(/\.[^.]*$/, '-');
    for (const name of names) {
      const suffix = COMPANIONS.find((each) => name.startsWith(prefix) && name.endsWith(each));
      if (!suffix) continue;
      const plain = name.slice(0, name.length - suffix.length);
      const isOrphan = !formsOf(plain).some((form) => names.has(form));
      if (isOrphan || suffix === '.zst.tmp') await rm(join(folder, name), { force: true });
    }
  }

  async function pack(segment: Segment): Promise<void> {
    const { path } = segment;
    // A Caddy that was started with other settings compresses it itself.
    if (await stat(`${path}.gz`).catch(absent)) return;
    const before = refused.get(path);
    if (before && before.pause-- > 0) return;
    try {
      await packSegment(segment);
      refused.delete(path);
      onPacked?.();
    } catch (error) {
      const reason = reasonOf(error);
      // The same reason for every segment, as when the folder is not ours, is logged once.
      const isNew = ![...refused.values()].some(
        (each) => each.reason.split(',')[0] === reason.split(',')[0],
      );
      const times = (before?.times ?? 0) + 1;
      refused.set(path, { reason, times, pause: Math.min(2 ** (times - 1) - 1, LONGEST_PAUSE) });
      if (isNew) log('rotated access log not packed', { file: path, reason }, 'warn');
    }
  }

  const rounds = every({ pause: pace.every }, async () => {
    await run();
    deps.onWarnings?.(warnings());
  });

  const warnings = (): string[] => [
    ...(announced?.text ? [announced.text] : []),
    ...(isFullNow
      ? ['The disk of the access log is nearly full, and no rotated access log is left to delete.']
      : []),
    ...(deletedForSpace > 0
      ? [`${deletedForSpace} rotated access logs were deleted because the disk was nearly full.`]
      : []),
  ];

  return {
    run,
    begin: rounds.begin,
    warnings,
    end() {
      isEnded = true;
      return rounds.end();
    },
  };
}

/** With less room, the oldest segments have to go: a gigabyte would be all of a small disk. */
const LEAST_SHARE = 0.05;
const SMALL_DISK_SHARE = 0.1;
const LEAST_BYTES = 1e9;

/** Whether a folder's disk has less than 5 %, or 1 GB or 10 %, left for this user. @throws file system errors */
async function isNearlyFull(folder: string): Promise<boolean> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const size = blocks * bsize;
  const least = Math.max(size * LEAST_SHARE, Math.min(LEAST_BYTES, size * SMALL_DISK_SHARE));
  return bavail * bsize < least;
}

/** How much of the access log to keep; null: as much as there is. */
export type Limits = {
  /** Number of rolled segments. */
  keep: number | null;
  days: number | null;
  /** Of all segments as stored, in MiB. */
  megabytes: number | null;
};

const DAY_MS = 86_400_000;

/**
 * The rolled segments that a setting no longer keeps, oldest first. The live one is never among them.
 * @param segments newest first
 * @param now milliseconds since 1970
 */
function expiredOf(segments: readonly Segment[], limits: Limits, now: number): Segment[] {
  const { keep, days, megabytes } = limits;
  const oldest = days === null ? Number.NEGATIVE_INFINITY : now - days * DAY_MS;
  const most = megabytes === null ? Number.POSITIVE_INFINITY : megabytes * MIB;
  let [count, bytes] = [0, 0];
  const expired = segments.filter(({ live, size, mtimeMs }) => {
    bytes += size;
    if (live) return false;
    return ++count > (keep ?? Number.POSITIVE_INFINITY) || mtimeMs < oldest || bytes > most;
  });
  return expired.reverse();
}
