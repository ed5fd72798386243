/** What the notes of an import say, by how grave it is. Pure. */
import type { Note } from '../npm/notes.ts';

const LEVELS: readonly [Note['level'], string][] = [
  ['error', 'Off until you decide'],
  ['warning', 'Different from before'],
  ['info', 'Good to know'],
];

/** A text of notes, and what it is about; no domains if it is about no site. */
export type Remark = { text: string; domains: string[] };

/** `isFolded`: nothing has to be decided about it. */
type NoteGroup = { title: string; isFolded: boolean; texts: Remark[] };

/** The gravest first; each text once in each. */
export const groupsOf = (notes: readonly Note[]): NoteGroup[] =>
  LEVELS.flatMap(([level, title]) => {
    const texts = [
      ...Map.groupBy(
        notes.filter((note) => note.level === level),
        ({ text }) => text,
      ),
    ];
    if (texts.length === 0) return [];
    const domainsOf = (same: Note[]) => [...new Set(same.flatMap(({ domain }) => domain ?? []))];
    const remarks = texts.map(([text, same]) => ({ text, domains: domainsOf(same) }));
    return { title, isFolded: level === 'info', texts: remarks };
  });

/** The names of the certificate to get by DNS, if the text of a note is about one. */
export const dnsNamesIn = (text: string): string[] =>
  /by DNS for (\S+(?:, \S+)*) on/.exec(text)?.[1]?.split(', ') ?? [];

/** How many sites have a certificate that was uploaded to NPM, and is not taken over. */
export const uploadedIn = (notes: readonly Note[]): number =>
  new Set(notes.flatMap(({ domain, text }) => (text.includes('uploaded to NPM') ? domain : [])))
    .size;
