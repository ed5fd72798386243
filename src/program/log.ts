/** Writes the program's own log: one line per event on standard error, as logfmt or JSON. */
import { type Fields, LEVELS, type Level, type Log } from '../shared/log.ts';
import { visible } from './visible.ts';

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
