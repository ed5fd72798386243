/** How both sides tell what happens; `../log.ts` writes it down. */

/** From what only helps to find a fault to what somebody has to look at. */
export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

export type Fields = Readonly<Record<string, unknown>>;

/** One event; `info` where no level is given. Never hand it a body, a config or a secret. */
export type Log = (event: string, fields?: Fields, level?: Level) => void;

/** The same log with `own` on every line. */
export const withFields =
  (log: Log, own: Fields): Log =>
  (event, fields, level) =>
    log(event, { ...own, ...fields }, level);

/**
 * Why something failed, in one text. Drizzle's errors end with the parameters of the statement,
 * which may be hashes and addresses: those go.
 */
export function reasonOf(error: unknown): string {
  const text = String(error);
  const end = text.search(/\s*\bparams:/);
  const short = end < 0 ? text : text.slice(0, end);
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : undefined;
  return cause === undefined ? short : `${short} (${reasonOf(cause)})`;
}

/** For the error mapper: what nobody expected, and where it was thrown for who looks closer. */
export const reportTo =
  (log: Log) =>
  (error: unknown): void => {
    log('request failed', { reason: reasonOf(error) }, 'error');
    // The first line repeats the message, with all that was taken out of it.
    const frames = error instanceof Error ? (error.stack?.match(/^\s+at .*$/gm) ?? []) : [];
    if (frames.length > 0)
      log('stack', { frames: frames.map((at) => at.trim()).join(' ') }, 'debug');
  };
