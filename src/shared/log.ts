/** How hub and agent log: levels, fields, errors as text, and one line per event, as logfmt or JSON. */
import { fileErrorOf } from './file-errors.ts';
import { visible } from './visible.ts';

/** From details for debugging to what needs attention. */
export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

export type Fields = Readonly<Record<string, unknown>>;

/** Logs one event, at `info` by default. Never pass a body, a config or a secret. */
export type Log = (event: string, fields?: Fields, level?: Level) => void;

/** The same log with the fields `own` on every line. */
export const withFields =
  (log: Log, own: Fields): Log =>
  (event, fields, level) =>
    log(event, { ...own, ...fields }, level);

/**
 * An error and its causes as one text. Drizzle's errors end with the parameters of the statement,
 * which may be hashes and addresses; they are removed.
 */
export function reasonOf(error: unknown): string {
  const text = fileErrorOf(error) ?? String(error);
  const end = text.search(/\s*\bparams:/);
  const short = end < 0 ? text : text.slice(0, end);
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : undefined;
  return cause === undefined ? short : `${short} (${reasonOf(cause)})`;
}

/** For the error mapper: logs an unexpected error, and its stack at `debug`. */
export const reportTo =
  (log: Log) =>
  (error: unknown): void => {
    log('request failed', { reason: reasonOf(error) }, 'error');
    // Without the first line, which repeats the message with its parameters.
    const frames = error instanceof Error ? (error.stack?.match(/^ +at .*$/gm) ?? []) : [];
    if (frames.length > 0)
      log('stack', { frames: frames.map((at) => at.trim()).join(' ') }, 'debug');
  };

export const LOG_FORMATS = ['logfmt', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export type LogOptions = {
  format?: LogFormat;
  /** Events below it are not written. */
  level?: Level;
  /** Fields of every line written on behalf of the requests under way: their ids. */
  context?: () => Fields;
};

/** Enough for a proxy's longest sentence, and for the ids of a whole batch of requests. */
const LONGEST_VALUE = 2_000;

/** Our own secrets. Nothing should log one; if something does, it is not written. */
const SECRET = /\bsbx_[0-9A-Za-z]{38}\b|\$argon2[^\s"]+|(?<=\bBearer\s+)[^\s"]+/gi;

/** `time=2026-11-20T22:17:03.468Z level=info event="proxy started" pid=42`, or the same as JSON. */
export function createLog(
  write: (line: string) => void,
  now: () => Date,
  { format = 'logfmt', level: least = 'info', context = () => ({}) }: LogOptions = {},
): Log {
  const written = LEVELS.slice(LEVELS.indexOf(least));
  const toLine = format === 'json' ? asJson : asLogfmt;
  return (event, fields = {}, level = 'info') => {
    if (!written.includes(level)) return;
    // First in order, and last in say.
    const own = { time: now().toISOString(), level, event };
    const pairs = Object.entries({ ...own, ...context(), ...fields, ...own });
    write(toLine(pairs.filter(([, value]) => value !== undefined && value !== null)));
  };
}

type Pairs = readonly (readonly [name: string, value: unknown])[];

const asLogfmt = (pairs: Pairs) =>
  pairs.map(([name, value]) => `${name}=${bare(bounded(value))}`).join(' ');

const asJson = (pairs: Pairs) =>
  escaped(
    Object.fromEntries(
      pairs.map(([name, value]) => [name, isPlain(value) ? value : bounded(value)]),
    ),
  );

const isPlain = (value: unknown) =>
  typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));

function bounded(value: unknown): string {
  const text = String(value).replace(SECRET, '[redacted]');
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

const bare = (text: string) => (/^[\w.,:/@+-]+$/.test(text) ? text : escaped(text));

const escaped = (value: unknown) => visible(JSON.stringify(value));
