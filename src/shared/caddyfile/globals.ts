/** Reads and edits the global options of a Caddyfile. Pure. */
import { createCache } from '../memoize.ts';
import {
  createLexer,
  startsLine,
  type Token,
  type TokenizeOptions,
  tokenize,
} from './tokenizer.ts';

/** Why the `admin` option may not be used. */
export const ADMIN_IS_OURS = 'admin: signalbox sets the admin endpoint itself';

/** An option of the global block: its first line, from 1, and its offsets in the text. */
type GlobalOption = Place & { name: string; line: number };
type Place = { start: number; end: number };

/** Whether `preamble` begins with global options; Caddy ignores an empty block. */
export function hasGlobalOptions(preamble: string): boolean {
  const [first, second] = tokenize(`\n${preamble}`, { most: 2 });
  return first?.text === '{' && second !== undefined && second.text !== '}';
}

/** The global options in order, each with its own block if it has one. */
export function globalOptions(preamble: string, dialect: TokenizeOptions = {}): GlobalOption[] {
  if (!hasGlobalOptions(preamble)) return [];
  const { tokens, step } = createLexer(preamble, dialect);
  const options: GlobalOption[] = [];
  let depth = 0;
  // Not further than they go: a whole Caddyfile may follow.
  for (let index = 0; step(); index++) {
    const token = tokens[index] as Token;
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

export const findOption = (preamble: string, name: string): GlobalOption | undefined =>
  globalOptions(preamble).find((option) => option.name === name);

/** The ports of HTTP and HTTPS addresses that name none. */
export type Ports = Readonly<{ http: number; https: number }>;

/** Of the preambles that were asked about last: the answer to every change asks several times. */
const knownPorts = createCache<Ports>(20);

/** The ports set by the global options `http_port` and `https_port`, or Caddy's defaults. */
export function portOptions(preamble: string): Ports {
  const known = knownPorts.get(preamble);
  if (known) return known;
  const ports = { http: 80, https: 443 };
  for (const { name, start, end } of globalOptions(preamble)) {
    if (name !== 'http_port' && name !== 'https_port') continue;
    const port = Number(tokenize(preamble.slice(start, end))[1]?.text);
    if (Number.isInteger(port)) ports[name === 'http_port' ? 'http' : 'https'] = port;
  }
  knownPorts.put(preamble, ports);
  return ports;
}

/** Removes options, in their order, and the lines of those that are alone on theirs. */
export function withoutOptions(preamble: string, options: readonly Place[]): string {
  const removed = options.map(({ start, end }): Edit => {
    const from = preamble.lastIndexOf('\n', start - 1) + 1;
    const lf = preamble.indexOf('\n', end);
    const rest = preamble.slice(end, lf < 0 ? undefined : lf);
    const isAlone = preamble.slice(from, start).trim() === '' && rest.trim() === '' && lf >= 0;
    return isAlone ? { start: from, end: lf + 1, text: '' } : { start, end, text: '' };
  });
  return edited(preamble, removed);
}

/** Sets those of these options that are there to another value; each must fit on one line. */
export function withValues(preamble: string, values: Readonly<Record<string, string>>): string {
  const edits = globalOptions(preamble).flatMap(({ name, start, end }): Edit[] => {
    const value = values[name];
    return value === undefined ? [] : [{ start, end, text: `${name} ${value}` }];
  });
  return edited(preamble, edits);
}

/** What comes in the place of a part of a text. */
export type Edit = Place & { text: string };

/** Replaces parts of a text, however many there are, in one pass. @param edits in their order; none overlaps another */
export function edited(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const edit of edits) {
    pieces.push(text.slice(from, edit.start), edit.text);
    from = edit.end;
  }
  return [...pieces, text.slice(from)].join('');
}
