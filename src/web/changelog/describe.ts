/** Describes changelog entries for people. Pure. */
import { localTime } from '../lib/format.ts';
import type { Entry } from '../lib/types.ts';

/** Recorded by the hub as the domain of changes to the preamble. */
export const PREAMBLE = '(preamble)';

/** Whether an entry changes the preamble rather than a site. */
export const isPreamble = ({ domain }: Pick<Entry, 'domain'>): boolean => domain === PREAMBLE;

/** The policy that an entry changes; null if it changes something else. */
export const policyOf = ({ domain }: Pick<Entry, 'domain'>): string | null =>
  /^\(policy (.*)\)$/.exec(domain)?.[1] ?? null;

/** What was changed: `the preamble`, `the policy NAME` or a site's domain. */
export function subjectOf(domain: string): string {
  if (domain === PREAMBLE) return 'the preamble';
  const policy = policyOf({ domain });
  return policy === null ? domain : `the policy ${policy}`;
}

/** For a link to other changes of the same. */
export function kindOf(entry: Pick<Entry, 'domain'>): string {
  if (isPreamble(entry)) return 'the preamble';
  return policyOf(entry) === null ? 'this site' : 'this policy';
}

/** How each kind of change is shown; `wordOf` says more about a toggle. */
export const WORDS = {
  create: { sign: '+', word: 'Created' },
  update: { sign: '~', word: 'Changed' },
  delete: { sign: '−', word: 'Deleted' },
  toggle: { sign: '⇄', word: 'Turned on or off' },
} as const satisfies Record<Entry['action'], { sign: string; word: string }>;

/** What was done, such as `Created`. */
export function wordOf(entry: Pick<Entry, 'action' | 'enabled' | 'diff'>): string {
  const isOn = turnedOn(entry);
  if (isOn === null) return WORDS[entry.action].word;
  return isOn ? 'Turned on' : 'Turned off';
}

/** Whether it did nothing but turn the site on, or off; null if it did something else. */
function turnedOn({ action, enabled, diff }: Pick<Entry, 'action' | 'enabled' | 'diff'>) {
  if (action !== 'update') return enabled;
  const [first, ...rest] = fieldsOf(diff);
  return first?.field === 'enabled' && rest.length === 0 ? first.new === 'on' : null;
}

/** A field of an update; a `text` is compared line by line. */
export type FieldChange = { field: string; kind: 'text' | 'value'; old: string; new: string };

/** The fields of an update, in the hub's order; none if the diff cannot be read. */
export function fieldsOf(diff: string | null): FieldChange[] {
  const { old, new: now } = parsed(diff);
  const { values: oldValues, ...oldFields } = old;
  const { values: newValues, ...newFields } = now;
  const fields = changesOf(oldFields, newFields);
  if (!isFields(oldValues) || !isFields(newValues)) return fields;
  const values = changesOf(oldValues, newValues).filter(({ old, new: now }) => old !== now);
  // The hub shows no passwords.
  const secret: FieldChange = { field: 'passwords', kind: 'value', old: 'hidden', new: 'changed' };
  return [...fields, ...(values.length > 0 ? values : [secret])];
}

function changesOf(old: Fields, now: Fields): FieldChange[] {
  return Object.keys({ ...old, ...now }).map((field) => {
    const [before, after] = [valueText(old[field]), valueText(now[field])];
    const isText = field === 'config' || /\n/.test(before + after);
    return isText
      ? { field, kind: 'text', old: rawText(old[field]), new: rawText(now[field]) }
      : { field, kind: 'value', old: before, new: after };
  });
}

/** The same fields as an undo changes them. */
export const reversed = (fields: readonly FieldChange[]): FieldChange[] =>
  fields.map((change) => ({ ...change, old: change.new, new: change.old }));

type Fields = { [field: string]: unknown };

function parsed(diff: string | null): { old: Fields; new: Fields } {
  try {
    const value: unknown = JSON.parse(diff ?? 'null');
    if (isFields(value) && isFields(value.old) && isFields(value.new)) {
      return { old: value.old, new: value.new };
    }
  } catch {
    // An unreadable entry is shown without its fields.
  }
  return { old: {}, new: {} };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A longer list has a line for each of its items. */
const MAX_INLINE = 60;

/** A list of a policy or a site: its items, or the names of these; null if it is none. */
function itemsOf(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null;
  return value.map((item) => {
    if (typeof item === 'string') return item;
    return isFields(item) && typeof item.name === 'string' ? item.name : JSON.stringify(item);
  });
}

const rawText = (value: unknown): string => itemsOf(value)?.join('\n') ?? String(value ?? '');

function valueText(value: unknown): string {
  const items = itemsOf(value);
  if (items) {
    const line = items.join(', ') || 'none';
    return line.length > MAX_INLINE ? items.join('\n') : line;
  }
  if (value === true) return 'on';
  if (value === false) return 'off';
  if (value === undefined || value === null || value === '') return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function undoSentence(entry: Entry): string {
  const { action, domain, diff } = entry;
  if (isPreamble({ domain })) {
    return 'Restores the preamble from before this change. This affects all sites.';
  }
  const policy = policyOf(entry);
  if (policy !== null) return undoPolicy(entry, policy);
  const isOn = turnedOn(entry);
  if (isOn !== null) return `Turns the site ${domain} ${isOn ? 'off' : 'on'} again.`;
  switch (action) {
    case 'create':
      return `Deletes the site ${domain}. Caddy stops serving it.`;
    case 'delete':
      return `Restores the site ${domain} as it was before it was deleted.`;
    case 'toggle':
      return `Turns the site ${domain} back on if this change turned it off, or off if it turned it on.`;
    case 'update': {
      const names = fieldsOf(diff).map(({ field }) => field);
      const what = names.length > 0 ? `${listed(names)} of` : 'changed fields of';
      return `Restores the ${what} the site ${domain} from before this change. Everything else stays as it is now.`;
    }
  }
}

function undoPolicy({ action, diff }: Entry, name: string): string {
  if (action === 'create') return `Deletes the policy ${name}.`;
  if (action === 'delete') return `Restores the policy ${name}, on no site.`;
  const names = fieldsOf(diff).map(({ field }) => field);
  return `Restores the ${listed(names)} of the policy ${name} from before this change, on all its sites.`;
}

/** `a`, `a and b`, `a, b and c`. */
const listed = (names: readonly string[]): string =>
  names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? '');

export type Day = { day: string; entries: Entry[] };

/** Groups entries by local day, keeping their order. */
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

/** A new first page, followed by the older entries already loaded. */
export function merged(fresh: readonly Entry[], old: readonly Entry[]): Entry[] {
  const last = fresh.at(-1)?.id ?? 0;
  return [...fresh, ...old.filter(({ id }) => id < last)];
}
