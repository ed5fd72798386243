/** What the palette can go to or do, as the user's role may, and which of it fits what is typed. Pure. */
import { PAGES, SECTIONS } from '../../shared/pages.ts';
import { isAllowed, type Role } from '../lib/roles.ts';
import type { Theme } from '../lib/theme.ts';
import type { Policy, Vhost } from '../lib/types.ts';

export type Entry = {
  kind: 'Page' | 'Site' | 'Policy' | 'Proxy' | 'Action';
  title: string;
  /** Found by these words as well. */
  more?: string;
  /** Where it leads, or what it does. */
  act: string | (() => void);
};

type Known = {
  role: Role;
  sites: readonly Pick<Vhost, 'id' | 'domain' | 'upstream' | 'tags'>[];
  policies: readonly Pick<Policy, 'id' | 'name'>[];
  proxies: readonly string[];
  onTheme: (theme: Theme) => void;
  onKeys: () => void;
  onSignOut: () => void;
};

const THEMES: readonly (readonly [Theme, string])[] = [
  ['auto', 'Theme: as the system'],
  ['light', 'Theme: light'],
  ['dark', 'Theme: dark'],
];

export function entriesOf(known: Known): Entry[] {
  const listed = new Set(SECTIONS.flatMap(({ paths }) => paths));
  const entries = PAGES.flatMap(([path, { title = '', needs = 'viewer' }]): Entry[] => {
    const isNew = path.endsWith('/new');
    if (!(isNew || listed.has(path)) || !isAllowed(known.role, needs)) return [];
    return [{ kind: isNew ? 'Action' : 'Page', title, act: path }];
  });
  for (const { id, domain, upstream, tags } of known.sites) {
    const more = [upstream, ...tags].join(' ');
    entries.push({ kind: 'Site', title: domain, more, act: `/sites/${id}` });
  }
  for (const { id, name } of known.policies) {
    entries.push({ kind: 'Policy', title: name, act: `/policies/${id}` });
  }
  for (const name of known.proxies) {
    entries.push({ kind: 'Proxy', title: name, act: `/proxies/${name}` });
  }
  for (const [theme, title] of THEMES) {
    entries.push({ kind: 'Action', title, act: () => known.onTheme(theme) });
  }
  entries.push({ kind: 'Action', title: 'Keyboard shortcuts', act: known.onKeys });
  entries.push({ kind: 'Action', title: 'Sign out', act: known.onSignOut });
  return entries;
}

/** A list that can be read at a glance. */
const MOST = 20;

/** Those with all the words: first what begins with them, then where a word does, then the rest. */
export function found(entries: readonly Entry[], typed: string): Entry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked = entries.flatMap((entry, at) => {
    const title = entry.title.toLowerCase().replace(/^https?:\/\//, '');
    const text = `${title} ${entry.kind} ${entry.more ?? ''}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) return [];
    return [{ entry, at, rank: rankOf(title, words[0] ?? '') }];
  });
  ranked.sort((a, b) => a.rank - b.rank || a.at - b.at);
  return ranked.slice(0, MOST).map(({ entry }) => entry);
}

function rankOf(title: string, word: string): number {
  if (title.startsWith(word)) return 0;
  const at = title.indexOf(word);
  if (at === -1) return 3;
  return /[a-z0-9]/.test(title[at - 1] ?? '') ? 2 : 1;
}
