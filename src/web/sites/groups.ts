/** The lines of the list of sites: sites, and the tags that they are grouped by. Pure. */
import type { Row } from './rows.ts';

/** `tag` is null for the sites without one. */
export type Line =
  | { kind: 'tag'; tag: string | null; count: number }
  | { kind: 'site'; row: Row; tag: string | null };

/** One line per site. */
export const plainLines = (rows: readonly Row[]): Line[] =>
  rows.map((row) => ({ kind: 'site', row, tag: null }));

/** Each tag with its sites, in the order of the rows; a site is under each of its tags. */
export function groupedLines(rows: readonly Row[]): Line[] {
  const groups: (string | null)[] = [...tagsIn(rows), null];
  return groups.flatMap((tag): Line[] => {
    const inside = rows.filter(({ site: { tags } }) =>
      tag === null ? tags.length === 0 : tags.includes(tag),
    );
    if (inside.length === 0) return [];
    return [
      { kind: 'tag', tag, count: inside.length },
      ...inside.map((row): Line => ({ kind: 'site', row, tag })),
    ];
  });
}

/** All tags of these sites, sorted. */
export const tagsIn = (rows: readonly Row[]): string[] =>
  [...new Set(rows.flatMap(({ site }) => site.tags))].toSorted((a, b) => a.localeCompare(b));

/** Names a line among the others. */
export const keyOfLine = (line: Line): string =>
  line.kind === 'tag' ? `tag ${line.tag}` : `${line.row.site.id} ${line.tag ?? ''}`;
