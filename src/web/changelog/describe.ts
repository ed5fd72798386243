/** What a changelog entry says to a person. Pure. */
import { localTime } from '../lib/format.ts';
import type { Entry } from '../lib/types.ts';

/** The name under which the hub records the preamble. */
const PREAMBLE = '(preamble)';

export const isPreamble = ({ domain }: Pick<Entry, 'domain'>): boolean => domain === PREAMBLE;

/** `the preamble`, or the site's domain. */
export const subjectOf = (domain: string): string =>
  domain === PREAMBLE ? 'the preamble' : domain;

export const WORDS = {
  create: { sign: '+', word: 'Created' },
  update: { sign: '~', word: 'Changed' },
  delete: { sign: '−', word: 'Deleted' },
  toggle: { sign: '⇄', word: 'Switched on or off' },
} as const satisfies Record<Entry['action'], { sign: string; word: string }>;

/** One field of an update; `text` where it is compared line by line. */
export type FieldChange = { field: string; kind: 'text' | 'value'; old: string; new: string };

/** The fields of an update in the order the hub names them; none for what is no readable diff. */
export function fieldsOf(diff: string | null): FieldChange[] {
  const { old, new: now } = parsed(diff);
  return Object.keys({ ...old, ...now }).map((field) => {
    const [before, after] = [said(old[field]), said(now[field])];
    const isText = field === 'config' || /\n/.test(before + after);
    return isText
      ? { field, kind: 'text', old: String(old[field] ?? ''), new: String(now[field] ?? '') }
      : { field, kind: 'value', old: before, new: after };
  });
}

/** The same seen from an undo. */
export const reversed = (fields: readonly FieldChange[]): FieldChange[] =>
  fields.map((one) => ({ ...one, old: one.new, new: one.old }));

type Fields = { [field: string]: unknown };

function parsed(diff: string | null): { old: Fields; new: Fields } {
  try {
    const value: unknown = JSON.parse(diff ?? 'null');
    if (isFields(value) && isFields(value.old) && isFields(value.new)) {
      return { old: value.old, new: value.new };
    }
  } catch {
    // An entry that cannot be read is shown without its fields.
  }
  return { old: {}, new: {} };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function said(value: unknown): string {
  if (value === true) return 'on';
  if (value === false) return 'off';
  if (value === undefined || value === null || value === '') return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What taking an entry back will do, in a sentence or two. */
export function undoSentence({ action, domain, diff }: Entry): string {
  if (isPreamble({ domain })) {
    return 'The preamble becomes what it was before this change. It concerns all sites.';
  }
  switch (action) {
    case 'create':
      return `The site ${domain} is deleted, and no longer served.`;
    case 'delete':
      return `The site ${domain} comes back as it was before it was deleted.`;
    case 'toggle':
      return `The site ${domain} is switched back to what it was before: on, if this change switched it off, and off, if it switched it on.`;
    case 'update': {
      const names = fieldsOf(diff).map(({ field }) => field);
      const what =
        names.length > 0
          ? `${listed(names)} of the site ${domain}`
          : `What was changed of ${domain}`;
      const becomes = names.length > 1 ? 'become what they were' : 'becomes what it was';
      return `${what} ${becomes} before this change; the rest stays as it is now.`;
    }
  }
}

/** `a`, `a and b`, `a, b and c`, with a capital. */
function listed(names: readonly string[]): string {
  const text =
    names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The ids of the later changes that a refused undo names in its detail. */
export const laterIds = (detail: string | null): number[] =>
  /^changed since by/.test(detail ?? '') ? (detail?.match(/\d+/g) ?? []).map(Number) : [];

export type Day = { day: string; entries: Entry[] };

/** Entries by local day, in the order they come. */
export function byDay(entries: readonly Entry[]): Day[] {
  const days: Day[] = [];
  for (const entry of entries) {
    const day = localTime(entry.createdAt).slice(0, 'yyyy-mm-dd'.length);
    const last = days.at(-1);
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days;
}

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'full' });

/** `Today`, `Yesterday`, or the date; `day` as `2026-11-21`. */
export function dayName(day: string, now: Date): string {
  const at = new Date(`${day}T12:00:00`);
  const before = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (at.toDateString() === now.toDateString()) return 'Today';
  return at.toDateString() === before.toDateString() ? 'Yesterday' : DAY.format(at);
}

/** A fresh first page in front of what was loaded of the older ones. */
export function merged(fresh: readonly Entry[], old: readonly Entry[]): Entry[] {
  const last = fresh.at(-1)?.id ?? 0;
  return [...fresh, ...old.filter(({ id }) => id < last)];
}
