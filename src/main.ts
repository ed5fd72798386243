/** The entry point: takes arguments and environment, sets the exit code; only this file exits. */
import { existsSync, readFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import { readAddresses } from './program/addresses.ts';
import { type Cli, EXIT, parseWords } from './program/cli/command.ts';
import { commandHelp, overallHelp, synopsis, unknownCommand } from './program/cli/help.ts';
import { createProgress } from './program/cli/progress.ts';
import { SERVING } from './program/cli/serve.ts';
import { enabledFeatures } from './program/enabled.ts';
import { type Environment, readEnvironment } from './program/env-file.ts';
import { createPaint } from './program/paint.ts';
import { programOf, RESTART_SIGNAL } from './program/restart.ts';
import type { Env } from './program/settings.ts';
import { stopSignals } from './program/systemd/service-manager.ts';
import { COMMIT, VERSION } from './program/version.ts';
import { messageOf } from './shared/async.ts';
import { isInContainer } from './shared/system/container.ts';
import { visible, visibleLines } from './shared/visible.ts';

// The reader may go away (`| head`, a restarted journal): that is no reason to exit.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const progress = createProgress(
  process.stderr,
  () => performance.now(),
  (milliseconds, tick) => {
    const timer = setInterval(tick, milliseconds);
    return () => clearInterval(timer);
  },
);
const err = (text: string) => progress.print(visibleLines(text));
const out = (text: string) => {
  // Standard output may be the same terminal.
  progress.print('');
  process.stdout.write(text);
};
const { red } = createPaint(process.stderr.isTTY, process.env);
const fail = (reason: string) => progress.print(`${red(visibleLines(reason))}\n`);
const readFile = (path: string) => readFileSync(path, 'utf8');

const words = process.argv.slice(2);
let environment: Environment;
let commands = SERVING;
let parsed = parseWords(words, SERVING);
try {
  environment = readEnvironment(process.env, process.cwd(), readFile);
  // A hub or agent needs none of the other commands: without them it starts sooner and takes less memory.
  if (parsed.ask !== 'run' && parsed.ask !== 'version') {
    const { commandsOf, shownOf } = await import('./program/cli/commands.ts');
    const all = await commandsOf(enabledFeatures(environment.env));
    parsed = parseWords(words, all);
    commands = shownOf(all);
  }
} catch (error) {
  fail(messageOf(error));
  process.exit(EXIT.failed);
}
if (environment.ignored !== null) fail(environment.ignored);

const cli: Cli = {
  commands,
  env: environment.env,
  ownEnv: process.env,
  machine: {
    readFile,
    which: (program) => Bun.which(program),
  },
  out,
  err,
  fail,
  progress,
  paint: createPaint(process.stdout.isTTY, environment.env),
  host: {
    isRoot: process.getuid?.() === 0,
    writesToTerminal: isatty(1),
    hasTerminal: isatty(0),
    // The check of sd_booted(3).
    runsSystemd: existsSync('/run/systemd/system'),
    isContainer: isInContainer(),
    // Where a binary's embedded files are.
    program: Bun.main.startsWith('/$bunfs/') ? process.execPath : null,
    addresses: readAddresses,
  },
  confirm: (question) => confirm(question),
  ask: (question, usual) => prompt(question, usual)?.trim() || usual,
  stopSignal: () =>
    // A second signal changes nothing: what is in progress completes.
    new Promise((resolve) => {
      for (const signal of stopSignals(readFile)) process.on(signal, () => resolve(signal));
    }),
  onRestartSignal: (run) => process.on(RESTART_SIGNAL, run),
  replaceProgram,
  readerGone: () => new Promise((resolve) => process.stdout.on('error', () => resolve())),
};

/**
 * JavaScriptCore's thresholds, a hundred times its own (500 and 1000), and ten times for its last compiler, which brings
 * 2 MB of its own: compiled code was most of the memory of a hub or agent. A function of a request that comes every few
 * seconds is then interpreted, and a loop over a million lines of a log still compiled, within a second. The engine
 * reads them at the start of a process alone, and another version of Bun may refuse them.
 */
const THRESHOLDS: Readonly<Record<string, string>> = {
  BUN_JSC_thresholdForJITAfterWarmUp: '50000',
  BUN_JSC_thresholdForJITSoon: '10000',
  BUN_JSC_thresholdForOptimizeAfterWarmUp: '100000',
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: '100000',
  BUN_JSC_thresholdForOptimizeSoon: '100000',
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '1000000',
  BUN_JSC_thresholdForFTLOptimizeSoon: '1000000',
};

/**
 * Replaces this program by itself, with the thresholds and the same arguments and process id. Returns if it has
 * them, if the environment has options of the engine already, and if the system refuses.
 */
function compileLess(env: NodeJS.ProcessEnv): void {
  const names = Object.keys(THRESHOLDS);
  if (names.every((name) => env[name] === THRESHOLDS[name])) {
    // Not for the programs that it starts.
    for (const name of names) delete env[name];
    return;
  }
  if (Object.keys(env).some((name) => name.startsWith('BUN_JSC_'))) return;
  try {
    replaceProgram({ ...env, ...THRESHOLDS }, process.argv.slice(2));
  } catch {
    // It serves as well, with more memory.
  }
}

/** Keeps the process id. @throws Error if the system refuses */
function replaceProgram(env: Env, words: readonly string[]): never {
  const args = [...programOf(process.argv.length - 2), ...words];
  process.execve?.(process.execPath, args, { ...env });
  throw new Error('the system cannot replace a program');
}

/** How often it looks whether there is anything to collect. */
const LOOK_MS = 10_000;
/** Of a core since the last look; looking after 10,000 sites takes a tenth. */
const IDLE_SHARE = 0.2;
/** How much more than after the last collection is worth another one, which takes up to 150 ms at 10,000 sites. */
const WORTH_BYTES = 16 * 1024 * 1024;

/** Gives memory back that a burst of work has left, also that of code which was compiled for it. */
function collectWhenIdle(): void {
  let [used, kept] = [process.cpuUsage(), process.memoryUsage.rss()];
  const look = () => {
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    const rss = process.memoryUsage.rss();
    kept = Math.min(kept, rss);
    if (user + system > IDLE_SHARE * LOOK_MS * 1_000 || rss < kept + WORTH_BYTES) return;
    kept = rss;
    Bun.gc(true);
    // Deprecated, but nothing else drops compiled code: after a day, a box keeps 24 MB less.
    Bun.shrink();
  };
  setInterval(look, LOOK_MS).unref();
}

if (parsed.ask === 'help') {
  out(parsed.command ? commandHelp(parsed.command) : overallHelp(commands));
} else if (parsed.ask === 'version') {
  out(`${COMMIT === null ? VERSION : `${VERSION} (${COMMIT})`}\n`);
} else if (parsed.ask === 'unknown') {
  fail(unknownCommand(parsed.word, words.join(' '), commands));
  process.exitCode = EXIT.usage;
} else if (parsed.ask === 'misused') {
  const { command, wrong } = parsed;
  err(`Usage: ${synopsis(command)}\n\n`);
  fail(`${['signalbox', command.name].filter(Boolean).join(' ')}: ${visible(wrong)}`);
  process.exitCode = command.exits?.misused ?? EXIT.usage;
} else {
  const { command, given } = parsed;
  // From source, it may be another Bun that runs.
  if (command.role && cli.host.program !== null) compileLess(process.env);
  if (command.role) collectWhenIdle();
  const code = await command.run(given, cli);
  // After serving, anything still open must not keep the process alive.
  if (command.role) process.exit(code);
  process.exitCode = code;
}
