/** Which Caddy runs, asked again whenever another process may run, and which modules it was built with. */
import { statSync } from 'node:fs';
import { sha256Of } from '../../../src/shared/system/files.ts';
import { run } from '../../../src/shared/system/run.ts';

/** The oldest release that the tests run with; Debian 12 has it. */
const OLDEST_VERSION = '2.6.2';

/** How to run Caddy's program. */
type Program = {
  bin: string;
  /** What its command lines start with, to run as another user. */
  prefix: readonly string[];
  /** Its whole environment. */
  env: Record<string, string>;
};

/** What a program printed as its version; `version` is null for a build from source. */
type Printed = { text: string; version: string | null };

/** How long until a program that did not give its version is asked again. */
const ASK_AGAIN_MS = 10_000;
/** Starting Caddy takes 20 ms, from a cold SD card seconds. */
const TIMEOUT_MS = 5_000;
/** `2.6.2`, `v2.10.0-beta.1 h1:…`. */
const VERSION = /^v?(\d+)\.(\d+)\.(\d+)\S*/;
/** What Caddy prints if it was built from source. */
const UNNAMED = /^(?:unknown|\(devel\))$/;

/** The list of modules takes 5 KB; what prints this much is not Caddy. */
const MOST_OUTPUT = 1024 * 1024;

/** What a command of the program prints; null if it hangs, prints without end, or cannot be started now. */
async function outputOf({ bin, prefix, env }: Program, command: string): Promise<string | null> {
  try {
    const { stdout, signal } = await run({
      command: [...prefix, bin, command],
      env,
      cwd: '.',
      limit: TIMEOUT_MS,
      most: MOST_OUTPUT,
    });
    return signal === null && stdout !== null ? stdout.trim() : null;
  } catch {
    return null;
  }
}

async function ask(program: Program): Promise<Printed | null> {
  const text = await outputOf(program, 'version');
  return text === null
    ? null
    : { text, version: VERSION.exec(text)?.[0].replace(/^v/, '') ?? null };
}

/** What a program says of itself. */
export type Described = { version: string | null; modules: readonly string[] };

/** Asks a program for its version and modules; null if it does not answer as Caddy does. */
export async function describe(program: Program): Promise<Described | null> {
  const printed = await ask(program);
  if (printed === null || (printed.version === null && !UNNAMED.test(printed.text))) return null;
  const modules = await modulesOf(program);
  return modules && { version: printed.version, modules };
}

/** The module without which Caddy proxies nothing. */
const NEEDED = 'http.handlers.reverse_proxy';

/** Why a program cannot be put in place of the one that runs, as a sentence; null if nothing is known against it. */
export function flawIn(found: Described | null): string | null {
  if (found === null || !found.modules.includes(NEEDED)) {
    return 'The program does not answer as Caddy does: it is another program, needs libraries that this machine lacks, hangs, or DATA_DIR is mounted noexec.';
  }
  if (found.version !== null && isOlder(found.version)) {
    return `The program is Caddy ${found.version}: signalbox needs Caddy ${OLDEST_VERSION} or newer.`;
  }
  return null;
}

/**
 * Refuses a program that is surely not a Caddy that signalbox works with.
 * @throws Error that names the setting and the supported versions
 */
export async function assertSupported(program: Program): Promise<void> {
  const printed = await ask(program);
  if (printed === null || UNNAMED.test(printed.text)) return;
  const needed = `signalbox needs Caddy ${OLDEST_VERSION} or newer`;
  if (printed.version === null) {
    throw new Error(`PROXY_BIN (${program.bin}) is not Caddy: ${needed}`);
  }
  if (isOlder(printed.version)) {
    throw new Error(`PROXY_BIN (${program.bin}) is Caddy ${printed.version}: ${needed}`);
  }
}

function isOlder(version: string): boolean {
  const oldest = OLDEST_VERSION.split('.').map(Number);
  const numbers = VERSION.exec(version)?.slice(1, 4).map(Number) ?? [];
  const at = numbers.findIndex((number, index) => number !== oldest[index]);
  return at !== -1 && (numbers[at] ?? 0) < (oldest[at] ?? 0);
}

/** The program of the running process. */
type Running = {
  /** As `2.6.2`; null for a build from source, or if the program cannot be asked now. */
  version: string | null;
  /** Tells the program from any other: what it prints, and its file. Null if it cannot be asked now. */
  mark: string | null;
};

/**
 * Asks once for each running process: a program that was replaced on disk says nothing about the one
 * that runs.
 * @param processKey changes when another process runs
 */
export function createRunning(program: Program, processKey: () => string): () => Promise<Running> {
  let known: { key: string; running: Promise<Running>; forgetAt: number } | null = null;

  async function look(): Promise<Running> {
    const printed = await ask(program);
    if (printed === null) return { version: null, mark: null };
    return {
      version: printed.version,
      mark: `${printed.text.replace(/\s+/g, ' ')} ${fileOf(program.bin)}`,
    };
  }

  return async () => {
    const key = processKey();
    if (known?.key !== key || known.forgetAt < performance.now()) {
      known = { key, running: look(), forgetAt: Number.POSITIVE_INFINITY };
    }
    const asked = known;
    const running = await asked.running;
    if (running.mark === null)
      asked.forgetAt = Math.min(asked.forgetAt, performance.now() + ASK_AGAIN_MS);
    return running;
  };
}

/** What changes when a file is replaced; empty if there is none. */
export function fileOf(bin: string): string {
  const found = statSync(Bun.which(bin) ?? bin, { throwIfNoEntry: false });
  return found ? [found.ino, found.size, found.mtimeMs].join('-') : '';
}

/** The SHA-256 of a program's file; null if it cannot be read. */
export const sumOfFile = (bin: string): Promise<string | null> =>
  sha256Of(Bun.file(Bun.which(bin) ?? bin)).catch(() => null);

const DNS_PROVIDER = 'dns.providers.';

/** The names of the modules that the program on disk was built with, such as `http.handlers.reverse_proxy`; null if the program cannot be asked. */
export async function modulesOf(program: Program): Promise<string[] | null> {
  const printed = await outputOf(program, 'list-modules');
  // Between them there are totals, such as `  Standard modules: 106`.
  return printed?.match(/^[a-z]\S*$/gm) ?? null;
}

/** The names after `dns.providers.`, sorted; none if the program cannot be asked. */
export async function dnsProviders(program: Program): Promise<string[]> {
  const modules = (await modulesOf(program)) ?? [];
  return modules
    .flatMap((name) => (name.startsWith(DNS_PROVIDER) ? name.slice(DNS_PROVIDER.length) : []))
    .toSorted();
}
