/** Common mistakes around upstreams: a URL with a path, and `{upsteam}`. Pure. */
import { maskPlaceholders, UPSTREAM } from '../../shared/caddyfile/placeholders.ts';
import { tokenize } from '../../shared/caddyfile/tokenizer.ts';
import { nearest } from '../../shared/nearest.ts';
import { isUpstream } from './address.ts';

/** What an upstream with a path needs instead. */
export const NO_PATH =
  'Remove the path, which an upstream cannot have, not even a slash at its end. To change the path of requests, use `rewrite` or `handle_path` in the config.';

/** How to write an address without its path; undefined if it has none, or is not an address. */
export function pathHint(target: string): string | undefined {
  const origin = /^((?:https?:\/\/|h2c:\/\/)?[^/?#]+)[/?#]/i.exec(target)?.[1];
  return origin !== undefined && isUpstream(origin) ? `Write ${origin}. ${NO_PATH}` : undefined;
}

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
