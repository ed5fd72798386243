/** Describes changelog entries for people: what was changed, by whom, in which words. Pure. */
import { localTime } from '../lib/format.ts';
import { isOfContainers, keeperOf } from '../lib/source.ts';
import type { Entry, Group } from '../lib/types.ts';
import { fieldsOf } from './fields.ts';

/** How each kind of change is shown; `wordOf` says more about a toggle. */
export const WORDS = {
  create: { sign: '+', word: 'Created' },
  update: { sign: '~', word: 'Changed' },
  delete: { sign: '−', word: 'Deleted' },
  toggle: { sign: '⇄', word: 'Turned on or off' },
} as const satisfies Record<Entry['action'], { sign: string; word: string }>;

/** Of a proxy. */
const PROXY_WORDS: Partial<Record<Entry['action'], string>> = {
  create: 'Added',
  delete: 'Removed',
};

/** What was done, such as `Created`. */
export function wordOf(entry: Pick<Entry, 'action' | 'enabled' | 'diff' | 'domain'>): string {
  if (subjectIn(entry.domain).kind === 'problem') {
    return entry.action === 'delete' ? 'No longer known:' : 'Known:';
  }
  if (isFinal(entry)) {
    const [first, ...rest] = fieldsOf(entry.diff);
    if (first?.field === 'paused' && rest.length === 0) {
      return first.new === 'on' ? 'Paused' : 'Resumed';
    }
    return PROXY_WORDS[entry.action] ?? WORDS[entry.action].word;
  }
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

export function undoSentence(entry: Entry): string {
  const { action, domain, diff } = entry;
  const { kind, name } = subjectIn(domain);
  if (kind === 'policy') return undoPolicy(entry, name);
  if (kind === 'problem') return UNDO_KNOWN[action];
  if (kind === 'certificate') {
    return action === 'create'
      ? `Deletes the certificate ${name}. Caddy gets its own for the sites that it can.`
      : `Restores the certificate ${name} from before this change, unless that has expired.`;
  }
  if (kind === 'preamble') {
    return name === ''
      ? 'Restores the Caddy options from before this change. This affects all sites.'
      : `Restores the Caddy options of ${name} from before this change. This affects all its sites.`;
  }
  const isOn = turnedOn(entry);
  if (isOn !== null) return `Turns the site ${domain} ${isOn ? 'off' : 'on'} again.`;
  if (action === 'create') return `Deletes the site ${domain}. Caddy stops serving it.`;
  if (action === 'delete') return `Restores the deleted site ${domain}.`;
  const names = fieldsOf(diff).map(({ field }) => field);
  const what = names.length > 0 ? `${listed(names)} of` : 'changed fields of';
  return `Restores the ${what} the site ${domain} from before this change. Everything else stays as it is now.`;
}

const UNDO_KNOWN = {
  create: 'Counts the problem again.',
  delete: 'Notes again that the problem is known.',
  update: 'Restores until when the problem is known.',
  toggle: '',
} as const satisfies Record<Entry['action'], string>;

function undoPolicy({ action, diff }: Entry, name: string): string {
  if (action === 'create') return `Deletes the policy ${name}.`;
  if (action === 'delete') return `Restores the policy ${name}, on no site.`;
  const names = fieldsOf(diff).map(({ field }) => field);
  return `Restores the ${listed(names)} of the policy ${name} from before this change, on all its sites.`;
}

/** `a`, `a and b`, `a, b and c`. */
const listed = (names: readonly string[]): string =>
  names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? '');

/** An entry by itself, as a group. */
export const alone = (entry: Entry): Group => {
  const { id, userId, userName, via, createdAt } = entry;
  const summary = `${wordOf(entry)} ${subjectOf(entry.domain)}`;
  return {
    group: id,
    userId,
    userName,
    via,
    createdAt,
    summary,
    count: 1,
    entries: [entry],
  };
};

/** What the hub says of a change if that is more than `Changed the policy blocked`, or an undo. */
export function summaryIn({ summary, entries: [entry] }: Group): { summary?: string } {
  if (!entry) return {};
  const isPolicy = subjectIn(entry.domain).kind === 'policy' && entry.action === 'update';
  const isMore = isPolicy || summary.startsWith('Undo: ');
  return isMore && summary !== alone(entry).summary ? { summary } : {};
}

/** Begins what the hub records of a change that a source made. */
const APPLY = 'apply ';

/** `by apply of home`, or `by the containers on nas`; null if no source made the change. */
export function applyWords(via: string | null): string | null {
  if (!via?.startsWith(APPLY)) return null;
  const source = via.slice(APPLY.length);
  return `by ${isOfContainers(source) ? '' : 'apply of '}${keeperOf(source)}`;
}

/** What a request did, in one line. */
export function lineOf(group: Group): string {
  const [entry] = group.entries;
  if (group.count > 1 || !entry) return group.summary;
  return summaryIn(group).summary ?? alone(entry).summary;
}

type Day<T> = { day: string; entries: T[] };

/** Groups entries by local day, keeping their order. */
export function byDay<T extends Pick<Entry, 'createdAt'>>(entries: readonly T[]): Day<T>[] {
  const days: Day<T>[] = [];
  for (const entry of entries) {
    const day = localTime(entry.createdAt).slice(0, 'yyyy-mm-dd'.length);
    const last = days.at(-1);
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days;
}

const WEEKDAY = new Intl.DateTimeFormat('en', { weekday: 'long' });

/** `Today`, `Yesterday`, or the date; `day` as `2026-11-21`. */
export function dayName(day: string, now: Date): string {
  const at = new Date(`${day}T12:00:00`);
  const before = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (at.toDateString() === now.toDateString()) return 'Today';
  if (at.toDateString() === before.toDateString()) return 'Yesterday';
  return `${WEEKDAY.format(at)}, ${day}`;
}

/** A new first page, followed by the older groups already loaded. */
export function merged<T extends Pick<Group, 'group'>>(
  fresh: readonly T[],
  old: readonly T[],
): T[] {
  const last = fresh.at(-1)?.group ?? 0;
  return [...fresh, ...old.filter(({ group }) => group < last)];
}

/** Recorded by the hub as the domain of changes to the preamble. */
export const PREAMBLE = '(preamble)';

/** What an entry changes; `name` is a site's domain, and empty for the common preamble. */
type Subject = { kind: 'site' | (typeof KINDS)[keyof typeof KINDS]; name: string };

/** `agent` is the API's word for a proxy. */
const KINDS = {
  policy: 'policy',
  agent: 'proxy',
  preamble: 'preamble',
  problem: 'problem',
  certificate: 'certificate',
} as const;

/** Reads what the hub recorded as the domain. */
function subjectIn(domain: string): Subject {
  const [, word, name = ''] = /^\(([a-z]+)(?: (.*))?\)$/s.exec(domain) ?? [];
  const kind = Object.entries(KINDS).find(([mark]) => mark === word)?.[1];
  return kind ? { kind, name } : { kind: 'site', name: domain };
}

/** Whether it cannot be undone: a proxy that was removed has to be invited again. */
export const isFinal = ({ domain }: Pick<Entry, 'domain'>): boolean =>
  subjectIn(domain).kind === 'proxy';

/** Whether it is about how sites answer. */
export const isServed = ({ domain }: Pick<Entry, 'domain'>): boolean =>
  ['site', 'policy', 'preamble'].includes(subjectIn(domain).kind);

/** What was changed: `the preamble`, `the policy NAME` or a site's domain. */
export function subjectOf(domain: string): string {
  const { kind, name } = subjectIn(domain);
  if (kind === 'site' || kind === 'problem') return name;
  if (kind === 'preamble')
    return name === '' ? 'the Caddy options' : `the Caddy options of ${name}`;
  return `the ${kind} ${name}`;
}

/** For a link to other changes of the same. */
export function kindOf({ domain }: Pick<Entry, 'domain'>): string {
  const { kind } = subjectIn(domain);
  return kind === 'preamble' ? subjectOf(domain) : `this ${kind}`;
}
