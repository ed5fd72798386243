/** Tells what can answer a request from what must stay at the level of a site. Pure. */
import type { Directive } from './segments.ts';
import {
  type Imports,
  importedBy,
  type Kind,
  kindsOf,
  type Snippet,
  segmentsIn,
} from './snippets.ts';

export type Part = {
  kind: Exclude<Kind, 'matchers'>;
  text: string;
  /** The number, from 1, of its first line in the body. */
  line: number;
  /** The content of its block, as offsets of `text`. */
  block: Directive['block'];
  /** It is in the place of an import of the snippet that it is from, and so all on one line. */
  imported: boolean;
  /** It still is an import. */
  isImport: boolean;
};

/**
 * The parts of a body, in order: together they are the body, except that an import of a snippet is
 * replaced by what is in the snippet if that belongs into several places, or begins with an import.
 */
export function partsOf(body: string, imports: Imports, inlined = new Set<string>()): Part[] {
  return segmentsIn(body, imports).flatMap(({ text, line, directive }): Part[] => {
    const snippet = importedBy(directive, imports);
    if (snippet && isInlined(snippet) && canInline(snippet, inlined)) {
      const lines = snippet.text.replace(/^[ \t\r]*\n/, '');
      const at = directive?.line ?? line;
      return partsOf(lines, imports, inlined).map((part) => ({
        ...part,
        line: at,
        imported: true,
      }));
    }
    const kinds = kindsOf(directive, imports);
    const kind = snippet?.divided || kinds.has('handlers') ? 'handlers' : 'settings';
    const block = directive?.block ?? null;
    const isErrors = snippet === undefined && kinds.has('errors');
    const own = { text, line, block, imported: false, isImport: directive?.words[0] === 'import' };
    return [{ kind: isErrors ? 'errors' : kind, ...own }];
  });
}

/**
 * The first import of a snippet that belongs into several places and cannot be divided; `line` of the
 * body. Its site cannot have policies: wherever the import is, Caddy refuses it.
 */
export function indivisibleImport(
  body: string,
  imports: Imports,
  inlined = new Set<string>(),
): { name: string; line: number } | null {
  for (const { directive } of segmentsIn(body, imports)) {
    const snippet = importedBy(directive, imports);
    if (!directive || !snippet?.divided) continue;
    const { line, words } = directive;
    if (!canInline(snippet, inlined)) return { name: words[1] ?? '', line };
    const inner = indivisibleImport(snippet.text, imports, inlined);
    if (inner) return { ...inner, line };
  }
  return null;
}

const isInlined = ({ divided, leads, kinds }: Snippet): boolean =>
  divided || (leads && kinds.has('handlers'));

/** Once for each body, so that nothing grows without bounds. */
function canInline({ text, takesArguments }: Snippet, inlined: Set<string>): boolean {
  if (takesArguments || inlined.has(text)) return false;
  inlined.add(text);
  return true;
}
