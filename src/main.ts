/** The entry point: takes arguments and environment, sets the exit code; only this file exits. */
import { existsSync, readFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import { readAddresses } from './program/addresses.ts';
import { type Cli, EXIT, parseWords } from './program/cli/command.ts';
import { COMMANDS } from './program/cli/commands.ts';
import { backupFolder } from './program/cli/database.ts';
import { commandHelp, overallHelp, synopsis, unknownCommand } from './program/cli/help.ts';
import { createProgress } from './program/cli/progress.ts';
import { compileLess } from './program/compile-less.ts';
import { type Environment, readEnvironment } from './program/env-file.ts';
import { createPaint } from './program/paint.ts';
import { stopSignals } from './program/systemd/service-manager.ts';
import { COMMIT, VERSION } from './program/version.ts';
import { visible, visibleLines } from './program/visible.ts';
import { messageOf } from './shared/async.ts';

// The reader may go away (`| head`, a restarted journal): that is no reason to exit.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const progress = createProgress({
  terminal: process.stderr,
  now: () => performance.now(),
  every: (milliseconds, tick) => {
    const timer = setInterval(tick, milliseconds);
    return () => clearInterval(timer);
  },
});
const err = (text: string) => progress.print(visibleLines(text));
const out = (text: string) => {
  // Standard output may be the same terminal.
  progress.print('');
  process.stdout.write(text);
};
const { red } = createPaint(process.stderr.isTTY, process.env);
const fail = (reason: string) => progress.print(`${red(visibleLines(reason))}\n`);
const readFile = (path: string) => readFileSync(path, 'utf8');

let environment: Environment;
try {
  environment = readEnvironment(process.env, process.cwd(), readFile);
} catch (error) {
  fail(messageOf(error));
  process.exit(EXIT.failed);
}
if (environment.ignored !== null) fail(environment.ignored);

const cli: Cli = {
  commands: COMMANDS,
  env: environment.env,
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
  readerGone: () => new Promise((resolve) => process.stdout.on('error', () => resolve())),
};

const words = process.argv.slice(2);
const parsed = parseWords(words, [...COMMANDS, backupFolder]);
if (parsed.ask === 'help') {
  out(parsed.command ? commandHelp(parsed.command) : overallHelp(COMMANDS));
} else if (parsed.ask === 'version') {
  out(`${COMMIT === null ? VERSION : `${VERSION} (${COMMIT})`}\n`);
} else if (parsed.ask === 'unknown') {
  err(`${overallHelp(COMMANDS)}\n`);
  fail(unknownCommand(parsed.word, words.join(' '), COMMANDS));
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
  const code = await command.run(given, cli);
  // After serving, anything still open must not keep the process alive.
  if (command.role) process.exit(code);
  process.exitCode = code;
}
