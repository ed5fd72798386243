/** Replaces parts of a text, however many there are, in one pass. Pure. */

/** What comes in the place of a part of a text. */
export type Edit = { start: number; end: number; text: string };

/** @param edits in their order; none overlaps another */
export function edited(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const edit of edits) {
    pieces.push(text.slice(from, edit.start), edit.text);
    from = edit.end;
  }
  return [...pieces, text.slice(from)].join('');
}
