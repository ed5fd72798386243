/** Runs `caddy adapt` in a separate process, for texts that could harm the live one, and limits what it uses. */
import { FFIType } from 'bun:ffi';
import { tokenize } from '../../../src/shared/caddyfile/tokenizer.ts';
import { weigh, weighing } from '../../../src/shared/caddyfile/weight.ts';
import type { JsonObject } from '../../../src/shared/json.ts';
import { openLibc } from '../../../src/shared/system/libc.ts';
import { run } from '../../../src/shared/system/run.ts';
import { proxyUnreachable } from '../admin.ts';
import { lastErrorOf, rejected, TOO_LARGE } from '../words.ts';

/** How Caddy's commands that validate a text are run. */
export type CommandDeps = {
  /** Caddy's program. */
  bin: string;
  /** What its command lines start with, to run as another user. */
  prefix: readonly string[];
  /** Its whole environment. Its data folder is thrown away, now and whenever it is damaged. */
  env: Record<string, string> & { XDG_DATA_HOME: string };
  /** Milliseconds after which a command is killed at the latest; see `timeLimit`. */
  deadline: number;
};

/**
 * The global option `order` changes a list that the whole process shares, even if the text is
 * refused (seen on 2.6.2), so every later adaptation in that process would use it. A placeholder
 * may hold the word.
 */
const LEAVES_TRACES = /\border\b|\{\$/;

/**
 * Options of `client_auth` whose files Caddy reads while it adapts, not when it loads. An argument
 * of a snippet may be such a word.
 */
const READS_FILES = /cert_file|(?:^|\n)[^\S\n]*\S*\{args/;

/**
 * How much heavier than the text that the proxy serves one may be to be adapted in it, in characters once
 * snippets and ranges are expanded: three adaptations in a row take up to 45 MiB for 96 KiB of them (2.6.2 and
 * 2.11.4, thirteen kinds of directives).
 */
const MAX_LIVE = 64 * 1024;

/** What makes a text heavier than it is long; see `weigh`. */
const EXPANDS = /import|php_fastcgi|\d-\d/;

/** At most how many characters Caddy reads, in each dialect; infinite if that cannot be told. */
export function weightOf(text: string): number {
  // Most texts, and each publish asks for one.
  if (!EXPANDS.test(text)) return text.length;
  const dialects = text.includes('<<') ? [false, true] : [false];
  return Math.max(
    ...dialects.map((heredocs) => weigh(text, tokenize(text, weighing({ heredocs }))).size),
  );
}

/**
 * Whether adapting `text` could change how the same process adapts other texts, make it read files,
 * or take much of its memory.
 * @param served the weight of what the process serves already
 */
export function needsOwnProcess(text: string, served: number): boolean {
  if (LEAVES_TRACES.test(text) || READS_FILES.test(text.replaceAll('\r', ''))) return true;
  return weightOf(text) > MAX_LIVE + served;
}

/** How many bytes of JSON a Caddyfile may become: 10,000 sites of 56 bytes become 300 each. */
const outputLimit = (text: string): number => 4 * 1024 * 1024 + 32 * text.length;

/**
 * The Caddyfile as JSON.
 * @throws Failure PROXY_REJECTED with the proxy's words, or if it takes too long or too much memory; PROXY_UNREACHABLE if
 *   it hangs or is missing
 */
export async function adaptApart(text: string, deps: CommandDeps): Promise<JsonObject> {
  const words = ['adapt', '--config', '/dev/stdin', '--adapter', 'caddyfile'];
  const ended = await run({
    command: [...deps.prefix, deps.bin, ...words],
    env: deps.env,
    // Caddy's user may not enter the folder that the agent was started in.
    cwd: '/',
    // Caddy opens the path again.
    stdin: new Blob([text]),
    limit: timeLimit(text, deps.deadline),
    most: outputLimit(text),
    started: (pid) => limitMemory(pid, memoryLimit(text)),
  }).catch((cause: unknown) => {
    throw proxyUnreachable(cause);
  });
  if (ended.stdout === null) throw rejected(TOO_LARGE);
  // It is the text that takes too long, unless it is so small that Caddy itself must hang.
  if (ended.isLate && weightOf(text) > MAX_LIVE) throw rejected(TOO_LARGE);
  if (ended.signal !== null) throw proxyUnreachable(`adapt was killed by ${ended.signal}`);
  if (ended.code !== 0) {
    const reason = lastErrorOf(ended.stderr);
    throw NO_FILE.test(reason)
      ? rejected(NO_ROOM)
      : rejected(reason.replaceAll('/dev/stdin', 'Caddyfile'), text);
  }
  return JSON.parse(ended.stdout) as JsonObject;
}

/** ENXIO of open(2), for a socket: Bun gives a child its input as a file in memory, if RLIMIT_FSIZE lets it. */
const NO_FILE = /open \/dev\/stdin: no such device or address$/;
const NO_ROOM = 'the configuration is longer than the limit on the size of files: file too large';

/** Of setrlimit(2), on x86-64 and arm64. */
const RLIMIT_DATA = 2;

const MIB = 1024 * 1024;

/**
 * The bytes of memory that Caddy may use to read a Caddyfile: 10,000 sites in 640 kB take 143 MiB
 * to validate, and 226 MiB with a log each.
 */
export const memoryLimit = (text: string): number => 512 * MIB + 512 * text.length;

/**
 * The milliseconds it may take: 10,000 sites take 1.3 s, and 18 s with a log each.
 * @param most never more than this
 */
export const timeLimit = (text: string, most: number): number =>
  Math.min(most, 5_000 + Math.ceil(text.length / 20));

let library: ReturnType<typeof openLibrary> | undefined;

/**
 * Bounds a process's memory from now on, through libc: Bun has no limits for child processes. Caddy exits when it needs more. RLIMIT_DATA counts only
 * memory that can be written to: Go reserves far more address space than it uses, so a limit on
 * that would stop it from starting. Has no effect if the kernel refuses.
 * @param bytes hard and soft limit
 */
export function limitMemory(pid: number, bytes: number): void {
  try {
    library ??= openLibrary();
    const limit = BigUint64Array.of(BigInt(bytes), BigInt(bytes));
    library.symbols.prlimit(pid, RLIMIT_DATA, limit, null);
  } catch {
    // No such C library: the limit on time still holds.
  }
}

const openLibrary = () =>
  openLibc({
    prlimit: {
      args: [FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.ptr],
      returns: FFIType.i32,
    },
  });
