/** Reads and edits the global options of a Caddyfile. Pure. */
import { hasGlobalOptions } from './preamble.ts';
import { startsLine, tokenize } from './tokenizer.ts';

/** One option of the global block: its words' first line (1-based) and its place in the text. */
export type GlobalOption = { name: string; line: number; start: number; end: number };

/** The options of the global block, with the blocks that belong to them, in order. */
export function globalOptions(preamble: string): GlobalOption[] {
  if (!hasGlobalOptions(preamble)) return [];
  const tokens = tokenize(preamble);
  const options: GlobalOption[] = [];
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.text === '}') depth--;
    if (depth === 0 && token.text === '}') break;
    const last = options.at(-1);
    // An option may share the line of the opening brace.
    const begins = index === 1 || startsLine(tokens, index);
    if (depth === 1 && token.text !== '{' && token.text !== '}' && begins) {
      const { text: name, line, start, end } = token;
      options.push({ name, line, start, end });
    } else if (last && depth >= 1) {
      last.end = token.end;
    }
    if (token.text === '{') depth++;
  }
  return options;
}

/** The option that would move or switch off Caddy's admin endpoint, if there is one. */
export const adminOption = (preamble: string): GlobalOption | undefined =>
  globalOptions(preamble).find(({ name }) => name === 'admin');

/** `preamble` without an option, and without the line it leaves empty. */
export function withoutOption(preamble: string, { start, end }: GlobalOption): string {
  const from = preamble.lastIndexOf('\n', start - 1) + 1;
  const lf = preamble.indexOf('\n', end);
  const rest = preamble.slice(end, lf < 0 ? undefined : lf);
  const whole = preamble.slice(from, start).trim() === '' && rest.trim() === '' && lf >= 0;
  return whole
    ? preamble.slice(0, from) + preamble.slice(lf + 1)
    : preamble.slice(0, start) + preamble.slice(end);
}

/** `preamble` with lines put at the beginning of its global block, which is made where there is none. */
export function withOptions(preamble: string, lines: readonly string[]): string {
  if (lines.length === 0) return preamble;
  const text = lines.map((line) => `\t${line}\n`).join('');
  if (!hasGlobalOptions(preamble)) {
    const rest = preamble.replace(/^\s*\{\s*\}/, '').trim();
    return `{\n${text}}${rest === '' ? '' : `\n\n${rest}`}`;
  }
  const brace = tokenize(preamble)[0]?.end ?? 0;
  return `${preamble.slice(0, brace)}\n${text}${preamble.slice(brace).replace(/^[ \t]*\r?\n/, '')}`;
}
