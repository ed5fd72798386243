/** Caddy's error sentences, made fit to travel: no host path, nothing quoted from a file. Pure. */
import { Failure } from '../../src/shared/failure.ts';

/** One sentence of the proxy's, and the proxyfile's line where it names one. */
export type ProxyWords = { detail: string; line: number | undefined };

/** Long enough for any of Caddy's sentences, short enough for a form. */
const LONGEST = 500;

const WRAPPERS =
  /^(?:adapting config using caddyfile(?: adapter)?|parsing caddyfile tokens for '[^']*'|loading config|loading new config): /;

/** The last `Error: …` of what `caddy validate` wrote, or a plain sentence where there is none. */
export function lastErrorOf(stderr: string): string {
  const lines = stderr.split('\n');
  const at = lines.findLastIndex((line) => line.startsWith('Error: '));
  return at === -1
    ? 'the proxy refused without giving a reason'
    : lines.slice(at).join(' ').slice('Error: '.length).trim();
}

/**
 * @param sentence Caddy's words without the leading `Error: `
 * @returns `unrecognized directive: x` and 3, or the bare sentence
 */
export function cleanWords(sentence: string): ProxyWords {
  let rest = sentence.trim();
  for (let match = WRAPPERS.exec(rest); match; match = WRAPPERS.exec(rest)) {
    rest = rest.slice(match[0].length);
  }
  const place = /^(\S+?):(\d+)(?:: | - )(?:Error during parsing: |Syntax error: )?/.exec(rest);
  if (place === null) return { detail: clip(withoutPaths(rest)), line: undefined };
  if (place[1] !== '-' && place[1] !== 'Caddyfile') {
    return { detail: 'an imported file is not valid', line: undefined };
  }
  const line = Number(place[2]);
  return { detail: clip(withoutPaths(rest.slice(place[0].length))), line };
}

/** The refusal a caller hears. */
export function rejected(sentence: string): Failure {
  const { detail, line } = cleanWords(sentence);
  return new Failure(
    'PROXY_REJECTED',
    'The proxy refused this configuration; nothing was changed.',
    { detail, at: { line } },
  );
}

/** Any other sentence of Caddy's, on one line. */
export const cleanSentence = (sentence: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a host name of a request may be quoted
  clip(withoutPaths(sentence.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim()));

/** Keeps the last part of an absolute path: enough to recognise a file, not where it lies. */
const withoutPaths = (text: string) =>
  text.replace(/(?<![\w/:.])\/(?:[^\s/:'",()]+\/)+([^\s/:'",()]*)/g, '$1');

const clip = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
