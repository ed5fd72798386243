/** How hub and agent log: levels, fields and errors as text; the program writes the lines. */
import { fileErrorOf } from './file-errors.ts';

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
