/**
 * Placeholders that nothing useful takes the place of: variables that are not set, words that only a newer
 * Caddy replaces, and a misspelled `{upstream}`. Pure.
 */
import {
  findPlaceholders,
  maskPlaceholders,
  UPSTREAM,
} from '../../shared/caddyfile/placeholders.ts';
import { tokenize } from '../../shared/caddyfile/tokenizer.ts';
import { nearest } from '../../shared/nearest.ts';

/** How many are named. */
const MOST_NAMED = 5;

/**
 * The names of the variables without a default that are not in an environment, each once; none if that is not known.
 * @param environment the names of the variables in it, or null
 * @param line only those of this line, from 1
 */
export function unsetIn(
  text: string,
  environment: readonly string[] | null,
  line?: number,
): string[] {
  if (environment === null || !text.includes('{$')) return [];
  const lines = text.split('\n');
  const known = new Set(environment);
  const starts: number[] = [];
  for (let at = 0, row = 0; row < lines.length; row++) {
    starts.push(at);
    at += (lines[row]?.length ?? 0) + 1;
  }
  let row = 0;
  let isComment = lines[0]?.trimStart().startsWith('#');
  const found = findPlaceholders(text).placeholders.flatMap(({ name, fallback, start }) => {
    const last = row;
    while ((starts[row + 1] ?? Number.POSITIVE_INFINITY) <= start) row++;
    // Once for each line: it may have all of them.
    if (row > last) isComment = lines[row]?.trimStart().startsWith('#');
    const isElsewhere = line !== undefined && line !== row + 1;
    return fallback !== null || known.has(name) || isComment || isElsewhere ? [] : name;
  });
  return [...new Set(found)];
}

/** What is wrong, and the fix: two sentences. Undefined if there are none. */
export function sayUnset(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const shown = names.slice(0, MOST_NAMED).map((name) => `\`{$${name}}\``);
  const more = names.length - shown.length;
  const all = (more > 0 ? [...shown, `${more} more`] : shown).join(', ');
  const what =
    names.length === 1
      ? `${all} is not set in Caddy’s environment, and stands for nothing. Set it`
      : `${all} are not set in Caddy’s environment, and stand for nothing. Set them`;
  return `${what} in the file that PROXY_ENV_FILE names and restart signalbox, or write the value.`;
}

type NotReplaced = { word: string; line: number; needs: string; instead: string };

/** Placeholders, the first version that has them, and what an older one has in their place. */
type Words = {
  is: RegExp;
  since: string;
  /** Which one that is, if it is known; else only that 2.6.2 lacks them. */
  needs?: string;
  instead: (word: string) => string;
};

const LINES_IN_SNIPPET = () => 'write the lines into the snippet';
const NOTHING = () => 'leave it out';
const LONG = (name: string) => () => `write \`{http.request.${name}}\``;

/** Caddy's release notes; that 2.6.2 leaves them, and 2.11.4 does not, was seen. */
const WORDS: readonly Words[] = [
  {
    is: /\{args\[\d+\]\}/,
    since: '2.7.0',
    needs: '2.7',
    instead: (word) => `write \`${word.replace('[', '.').replace(']', '')}\``,
  },
  {
    is: /\{args\[[^\]{]*\]\}/,
    since: '2.7.0',
    needs: '2.7',
    instead: () => 'write each argument by itself',
  },
  {
    is: /\{(?:client_ip|http\.vars\.client_ip)\}/,
    since: '2.7.0',
    needs: '2.7',
    instead: () => 'write `{remote_host}`',
  },
  { is: /\{block\}/, since: '2.9.0', needs: '2.9', instead: LINES_IN_SNIPPET },
  { is: /\{blocks\.[^}{]*\}/, since: '2.9.0', needs: '2.9', instead: LINES_IN_SNIPPET },
  { is: /\{orig_method\}/, since: '2.7.0', instead: LONG('orig_method') },
  { is: /\{orig_uri\}/, since: '2.7.0', instead: LONG('orig_uri') },
  { is: /\{orig_path\}/, since: '2.7.0', instead: LONG('orig_uri.path') },
  { is: /\{orig_dir\}/, since: '2.7.0', instead: LONG('orig_uri.path.dir') },
  { is: /\{orig_file\}/, since: '2.7.0', instead: LONG('orig_uri.path.file') },
  { is: /\{orig_query\}/, since: '2.7.0', instead: LONG('orig_uri.query') },
  { is: /\{\?query\}/, since: '2.7.0', instead: () => 'write `?{query}`' },
  {
    is: /\{(?:orig_\?query|http\.request\.orig_uri\.prefixed_query)\}/,
    since: '2.7.0',
    instead: () => 'write `?{http.request.orig_uri.query}`',
  },
  {
    is: /\{http\.request\.uri\.prefixed_query\}/,
    since: '2.7.0',
    instead: () => 'write `?{query}`',
  },
  { is: /\{http\.request\.orig_uri\.path\.\d+\}/, since: '2.7.0', instead: NOTHING },
  { is: /\{resp\.status_code\}/, since: '2.7.0', instead: () => 'write `{rp.status_code}`' },
  {
    is: /\{http\.request\.(?:body_base64|local(?:\.host|\.port)?|uri_escaped|uri\.(?:path|query)_escaped)\}/,
    since: '2.7.0',
    instead: NOTHING,
  },
  { is: /\{time\.now\.http\}/, since: '2.7.0', instead: () => 'write `{time.now}`' },
];

/** The first of a text that a version does not replace; null if there is none, or the version is not known. */
export function notReplaced(text: string, version: string | null): NotReplaced | null {
  if (version === null) return null;
  const newer = WORDS.filter(
    ({ is, since }) => Bun.semver.order(version, since) < 0 && is.test(text),
  );
  if (newer.length === 0) return null;
  for (const { text: token, line } of tokenize(maskPlaceholders(text).masked)) {
    for (const { is, needs = 'a newer Caddy than 2.6', instead } of newer) {
      const word = is.exec(token)?.[0];
      if (word === undefined) continue;
      const caddy = /^\d/.test(needs) ? `Caddy ${needs}` : needs;
      return { word, line, needs: caddy, instead: instead(word) };
    }
  }
  return null;
}

/** As a sentence without its line. */
export const sayNotReplaced = ({ word, needs, instead }: NotReplaced, version: string): string =>
  `\`${word}\` needs ${needs}, and this is ${version}, which leaves it as it is written: ${instead}, or install a newer Caddy.`;

/** Directives that set placeholders of any name, or may come from elsewhere and do so. */
const SETS_PLACEHOLDERS = /(?:^|\n)[^\S\n]*(?:map|import)[^\S\n]/;

/**
 * A placeholder that is nearly `{upstream}`. Caddy leaves it as it is, and no request can be
 * forwarded to it.
 * @returns the first one with its line, from 1
 */
export function misspelledUpstream(config: string): { word: string; line: number } | null {
  if (SETS_PLACEHOLDERS.test(config)) return null;
  for (const { text, line } of tokenize(maskPlaceholders(config).masked)) {
    for (const [word, name = ''] of text.matchAll(/\{([\w-]{5,12})\}/g)) {
      if (word !== UPSTREAM && nearest(name, ['upstream']) !== undefined) return { word, line };
    }
  }
  return null;
}
