/** Placeholders that an older Caddy leaves as they are written: an upstream or a guard is void then. Pure. */
import { maskPlaceholders } from '../../shared/caddyfile/placeholders.ts';
import { tokenize } from '../../shared/caddyfile/tokenizer.ts';

export type NotReplaced = { word: string; line: number; since: string; instead: string };

/** Caddy's release notes; that 2.6.2 leaves them was seen. */
const WORDS: readonly { is: RegExp; since: string; instead: (word: string) => string }[] = [
  {
    is: /\{args\[\d+\]\}/,
    since: '2.7.0',
    instead: (word) => `write \`${word.replace('[', '.').replace(']', '')}\``,
  },
  { is: /\{args\[[^\]]*\]\}/, since: '2.7.0', instead: () => 'write each argument by itself' },
  { is: /\{client_ip\}/, since: '2.7.0', instead: () => 'write `{remote_host}`' },
  { is: /\{http\.vars\.client_ip\}/, since: '2.7.0', instead: () => 'write `{remote_host}`' },
  { is: /\{block\}/, since: '2.9.0', instead: () => 'write the lines into the snippet' },
  { is: /\{blocks\.[^}]*\}/, since: '2.9.0', instead: () => 'write the lines into the snippet' },
];

/** The first of a text that a version does not replace; null if there is none, or the version is not known. */
export function notReplaced(text: string, version: string | null): NotReplaced | null {
  if (version === null) return null;
  const newer = WORDS.filter(
    ({ is, since }) => Bun.semver.order(version, since) < 0 && is.test(text),
  );
  if (newer.length === 0) return null;
  for (const { text: token, line } of tokenize(maskPlaceholders(text).masked)) {
    for (const { is, since, instead } of newer) {
      const word = is.exec(token)?.[0];
      if (word !== undefined) return { word, line, since, instead: instead(word) };
    }
  }
  return null;
}

/** As a sentence without its line. */
export const sayNotReplaced = ({ word, since, instead }: NotReplaced, version: string): string =>
  `\`${word}\` needs Caddy ${since.replace(/\.0$/, '')}, and this is ${version}, which leaves it as it is written: ${instead}, or install a newer Caddy.`;
