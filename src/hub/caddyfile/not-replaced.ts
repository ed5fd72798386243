/** Placeholders that an older Caddy leaves as they are written: an upstream or a guard is void then. Pure. */
import { maskPlaceholders } from '../../shared/caddyfile/placeholders.ts';
import { tokenize } from '../../shared/caddyfile/tokenizer.ts';

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
