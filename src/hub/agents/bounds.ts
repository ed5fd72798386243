/** How long an agent's answer may take, and how large it may be. */
import {
  AT_ONCE,
  type ChecksRequest,
  LEAST_MS,
  ONCE_MS,
  type RoundRequest,
  TRIAL_MS,
  type TrialRequest,
  WITHIN,
} from '../../shared/wire/checks.ts';

/** Milliseconds. */
export const DEADLINE_MS = 45_000;
export const STATUS_DEADLINE_MS = 10_000;
/** For everything else that the agent does while it checks. */
const MARGIN_MS = 10_000;

const KIB = 1024;
const MIB = 1024 * KIB;

/** Bytes of an answer that neither sites nor visitors make longer; the longest is a list of modules. */
export const SMALL_ANSWER = 256 * KIB;

/** What visitors asked for: a page of their requests, or numbers of at most 16,384 hosts. */
export const LOG_ANSWER = 8 * MIB;

/** Characters of one entry of a stream: the headers of a request have up to 1 MiB, and JSON escapes them. */
export const LONGEST_ENTRY = 8 * MIB;

/** What the agent itself reads of Caddy's JSON, for a text of so many characters. */
export const adaptedAnswer = (text: string): number => 16 * MIB + 32 * text.length;

/** An entry of some 150 bytes for each name of a text, which may be a few characters long. */
export const authoritiesAnswer = (text: string): number => SMALL_ANSWER + 64 * text.length;

/** A reason, with the first bytes of what came instead, for each. */
export const checksAnswer = (count: number): number => SMALL_ANSWER + count * 4 * KIB;

/**
 * What is known of the sites: a certificate has up to a hundred names. An agent cannot know much more
 * sites than the hub has, unless its proxy also serves those of another hub.
 * @param count of the hub's sites
 */
export const sitesAnswer = (count: number): number =>
  Math.min(512 * KIB + count * 16 * KIB, 64 * MIB);

/** `256 KiB` or `16 MiB`, rounded. */
export const sizeOf = (bytes: number): string =>
  bytes < MIB ? `${Math.round(bytes / KIB)} KiB` : `${Math.round(bytes / MIB)} MiB`;

/** Milliseconds that a request for checks may take: only so many run at once. */
export function checksDeadline({ checks, once = false }: ChecksRequest): number {
  const rounds = Math.ceil(checks.length / AT_ONCE);
  return (once ? rounds * ONCE_MS : longest(checks) + rounds * LEAST_MS) + MARGIN_MS;
}

/** The same of a trial, which the agent itself ends; one that only previews a change may wait for others first. */
export function trialDeadline({ checks, change }: TrialRequest): number {
  if (!change) return DEADLINE_MS;
  const rounds = Math.ceil(checks.length / AT_ONCE);
  return Math.min(longest(checks) + rounds * LEAST_MS, TRIAL_MS) + MARGIN_MS;
}

/** Milliseconds that the most patient of them may take. */
const longest = (checks: ChecksRequest['checks']): number =>
  Math.max(0, ...checks.map(({ check }) => check?.within ?? WITHIN)) * 1_000;

/** The same between changes, where other rounds may be under way. */
export const roundDeadline = ({ checks }: RoundRequest): number => longest(checks) + MARGIN_MS;
