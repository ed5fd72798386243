/** Caddy's error messages, cleaned for callers: no host paths, nothing quoted from files. Pure. */
import { FAILURES, Failure } from '../../src/shared/failure.ts';
import { clip, oneLine } from '../../src/shared/one-line.ts';
import { lineNamedIn, pathsOf } from './place.ts';

/** One sentence from the proxy, and the Caddyfile's line if it names one. */
type ProxyWords = { detail: string; line: number | undefined };

/** Why a configuration is refused that takes more than its share of memory. */
export const TOO_LARGE = 'reading this configuration takes too much memory or time';

const WRAPPERS =
  /^(?:adapting config using caddyfile(?: adapter)?|parsing caddyfile tokens for '[^']*'|loading config|loading new config): /;

/** How Caddy came to what is wrong: the modules that it was starting, from the outside in. */
const STEPS = new RegExp(
  `^(?:${[
    'loading (?:[a-z]+ app module|(?:handler|matcher) modules|authentication providers)',
    "loading module '[^']*'",
    "module name '[^']*'",
    'provision [a-z0-9_.]+',
    'getting tls app',
    'server [a-z0-9_]+',
    'setting up (?:route handlers|subroutes|server error handling routes)',
    'route [0-9]+',
    'position [0-9]+',
  ].join('|')}): `,
);

/** What Go writes when it gets no more memory; see `limitMemory`. */
const NO_MEMORY = /^(?:fatal error|runtime): .*(?:out of memory|cannot allocate memory)/m;

/** What `lastErrorOf` returns if Caddy says nothing. */
export const NO_REASON = 'the proxy refused without giving a reason';

/** Until 2.11.4, a command that fails ends with this, and the sentence may have several lines. */
const BARE = /^Error: /;

/** The same in the console format of later ones, coloured or not; another logger would be named. */
const CONSOLE = /^(?:[^\t{]*\t)?(?:\p{Cc}\[\d+m)?error(?:\p{Cc}\[0m)?\t(?![\w.-]+\t)/iu;

/** Any line of that format. */
const LOGGED = /^[^\t]*\t(?:\p{Cc}\[\d+m)?[a-z]+(?:\p{Cc}\[0m)?\t/iu;

/**
 * Why a command of Caddy failed: its last `Error: …`, or since 2.11.6 the last error that Caddy itself
 * logged, as JSON or on a console. What its modules log before is not the reason.
 * @param stderr all that it wrote there, or the end of it
 */
export function lastErrorOf(stderr: string): string {
  if (NO_MEMORY.test(stderr)) return TOO_LARGE;
  const lines = stderr.split('\n');
  const bare = lines.findLastIndex((line) => BARE.test(line));
  if (bare !== -1) return joined(lines.slice(bare), BARE);
  for (const [back, line] of lines.toReversed().entries()) {
    const message = loggedError(line);
    if (message !== null) return joined(message.split('\n'));
    if (!CONSOLE.test(line)) continue;
    const rest = lines.slice(lines.length - 1 - back);
    const next = rest.findIndex((one, index) => index > 0 && (LOGGED.test(one) || one[0] === '{'));
    return joined(next === -1 ? rest : rest.slice(0, next), CONSOLE);
  }
  return NO_REASON;
}

/** What Caddy itself, not a module of it, logged as an error; null if the line is another one. */
function loggedError(line: string): string | null {
  if (!line.startsWith('{')) return null;
  try {
    const { level, logger, msg } = JSON.parse(line) as Record<string, unknown>;
    const isReason = typeof level === 'string' && /^error$/i.test(level) && logger === undefined;
    return isReason && typeof msg === 'string' ? msg : null;
  } catch {
    // The first line that was kept may be cut.
    return null;
  }
}

const joined = (lines: readonly string[], prefix = /^/): string =>
  lines.join(' ').replace(prefix, '').trim();

/** Where a mistake is, before the sentence, as Caddy 2.6 says it, and 2.11 for unknown directives. */
const PLACE_BEFORE = /^(\S+?):(\d+)(?:: | - )(?:Error during parsing: |Syntax error: )?/;

/** The same after the sentence, since 2.7, with the imports that led there. */
const PLACE_AFTER = /,? at (\S+):(\d+)(?: import chain:? \[.*\])?$/;

/** The same inside the sentence, in mistakes of heredocs. */
const PLACE_INSIDE = / on line #(\d+)/;

function withoutWrappers(sentence: string): string {
  let rest = sentence;
  for (const wrappers of [WRAPPERS, STEPS]) {
    for (let match = wrappers.exec(rest); match; match = wrappers.exec(rest)) {
      rest = rest.slice(match[0].length);
    }
  }
  return rest;
}

/** What is wrong stands at the beginning, and where at the end; between them may be a word of the text, of any length. */
const shortened = (sentence: string): string =>
  sentence.length > 6_000 ? `${sentence.slice(0, 4_000)} … ${sentence.slice(-2_000)}` : sentence;

/**
 * @param sentence Caddy's words, as `lastErrorOf` returns them
 * @param text the Caddyfile, if it is what Caddy refuses: paths that it names stay whole
 * @returns `unrecognized directive: x` and 3, or the bare sentence
 */
export function cleanWords(sentence: string, text = ''): ProxyWords {
  const said = shortened(sentence.trim());
  let rest = said;
  let place: RegExpExecArray | null = null;
  for (;;) {
    rest = withoutWrappers(rest);
    const before = PLACE_BEFORE.exec(rest);
    if (!before) break;
    place = before;
    rest = rest.slice(before[0].length);
    // Of nested blocks, each has its place; that of the innermost is the mistake.
    if (!WRAPPERS.test(rest)) break;
  }
  // Of several, the first is where the mistake is, the others are what it is part of.
  for (let match = PLACE_AFTER.exec(rest); match; match = PLACE_AFTER.exec(rest)) {
    rest = rest.slice(0, match.index);
    place = match;
  }
  const isOwn = place === null || place[1] === '-' || place[1] === 'Caddyfile';
  const line = place && isOwn ? Number(place[2]) : undefined;
  if (!isOwn || IN_FILE.test(rest)) return { detail: 'an imported file is not valid', line };
  if (AS_CERTIFICATE.test(said)) return { detail: NO_CERTIFICATE, line: undefined };
  const inside = PLACE_INSIDE.exec(rest);
  const plain = plainLog(rest.replace(PLACE_INSIDE, ''));
  const detail = clip(withoutPaths(plain, pathsOf(plain, text)));
  // A heredoc that never ends is said to be wrong on the last line of the Caddyfile.
  if (inside && !detail.startsWith('incomplete')) return { detail, line: Number(inside[1]) };
  // Caddy names the end of the block that an unknown matcher is in, if it names a line at all.
  return { detail, line: lineNamedIn(plain, text) ?? line };
}

/** What 2.11 says of a log that it may not open: with the whole structure of its writer. */
const LOG_WRITER =
  /^(?:setting up custom log '[^']*': )?opening log writer using &?logging\.FileWriter\{.*?Filename:"((?:[^"\\]|\\.)*)".*\}: (.*)$/;

function plainLog(sentence: string): string {
  const [, file, reason = ''] = LOG_WRITER.exec(sentence) ?? [];
  if (file === undefined) return sentence;
  return `Caddy’s user cannot write the log ${file}: ${reason.replace(/^\w+ \S+: /, '')}`;
}

/** Two options of `client_auth` are read while Caddy adapts, before the agent sees which files they name. */
const AS_CERTIFICATE =
  /parsing caddyfile tokens for '[^']*': .*?(?:\b(?:open|read) .*: [a-z ]+|no CERTIFICATE pem block found in |x509: |asn1: )/;
const NO_CERTIFICATE = 'no certificate can be read from a file of client_auth';

/** What follows quotes the file. */
const IN_FILE = /^Could not read tokens while importing /;

/** Go's words for ENOSPC, EDQUOT, EROFS and EFBIG: nothing is wrong with the text. */
const DISK =
  /\b(?:no space left on device|disk quota exceeded|read-only file system|file too large)\b/;

/** A log of the text itself, in a place that Caddy may not write to, is a mistake of the text. */
const OWN_LOG = /\bopening log writer\b/;

/**
 * The refusal for a caller: PROXY_REJECTED, or STORAGE_UNAVAILABLE if Caddy found no room on its disk.
 * @param sentence as `cleanWords` takes it
 * @param text as `cleanWords` takes it
 */
export function rejected(sentence: string, text?: string): Failure {
  const { detail, line } = cleanWords(sentence, text);
  if (DISK.test(sentence) && !OWN_LOG.test(sentence)) {
    return new Failure('STORAGE_UNAVAILABLE', FAILURES.STORAGE_UNAVAILABLE.meaning, { detail });
  }
  return new Failure(
    'PROXY_REJECTED',
    'The proxy refused this configuration; nothing was changed.',
    { detail, at: { line } },
  );
}

/** Our own refusal of what Caddy would accept. Where one is thrown, Caddy must not read the text. */
export class Restricted extends Failure {
  constructor(detail: string, line?: number, hint?: string) {
    const message = 'This configuration cannot be published; nothing was changed.';
    super('PROXY_REJECTED', message, { detail, hint, at: { line } });
  }
}

/** Any other sentence, on one line and without host paths. */
export const cleanSentence = (sentence: string): string => clip(withoutPaths(oneLine(sentence)));

/**
 * Keeps the last part of each absolute path: enough to recognise a file, not to locate it.
 * @param known those that the reader wrote stay whole
 */
const withoutPaths = (text: string, known: readonly string[] = []) =>
  text.replace(/(?<![\w/:.])\/(?:[^\s/:'",()]+\/)+([^\s/:'",()]*)/g, (path, last: string) =>
    known.includes(path) ? path : last,
  );

/**
 * What Caddy says of a damaged storage: `loading pki app module: provision pki: provisioning CA 'local': …` (2.11 leaves out the middle),
 * `managing certificates for [a.test]: automate: manage [a.test]: a.test: caching certificate: …`
 */
const STORED_FILES = /\bprovisioning CA |\bcaching certificate: /;

/** Whether Caddy refused because of what is in its storage. @param sentence Caddy's words */
export const isStoredFilesFault = (sentence: string): boolean => STORED_FILES.test(sentence);
