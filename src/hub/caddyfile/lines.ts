/** Lines of a text: how many, indented, and without a blank end. Pure. */
import { maskPlaceholders } from '../../shared/caddyfile/placeholders.ts';
import { tokenize } from '../../shared/caddyfile/tokenizer.ts';

/** `config` with tabs before each line, except for lines that begin inside a token. */
export function indent(config: string, tabs: number): string {
  const by = '\t'.repeat(tabs);
  const inside = insideTokens(config);
  let start = 0;
  return config
    .split('\n')
    .map((line) => {
      const offset = start;
      start += line.length + 1;
      return line.trim() === '' || inside(offset) ? line : by + line;
    })
    .join('\n');
}

/**
 * Whether an offset is inside a token; offsets must be passed in ascending order. Caddy has heredocs
 * from 2.7 on: an offset counts as inside if it is so with or without them.
 */
function insideTokens(config: string): (offset: number) => boolean {
  if (!/["`]|<<|\{\$/.test(config)) return () => false;
  const { masked } = maskPlaceholders(config);
  const views = [false, true].map((heredocs) => {
    // After a line end, as in the block, so that a byte order mark is part of its word.
    const tokens = tokenize(`\n${masked}`, { heredocs });
    let index = 0;
    return (offset: number) => {
      while ((tokens[index]?.end ?? Number.POSITIVE_INFINITY) <= offset + 1) index++;
      return (tokens[index]?.start ?? Number.POSITIVE_INFINITY) < offset + 1;
    };
  });
  return (offset) => views.map((view) => view(offset)).includes(true);
}

export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\r\n'.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

export function countLines(text: string): number {
  let lines = 1;
  for (let lf = text.indexOf('\n'); lf >= 0; lf = text.indexOf('\n', lf + 1)) lines++;
  return lines;
}
