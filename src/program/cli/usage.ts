/** The texts of `--help`, made from the table of commands. */
import type { Command } from './command.ts';
import { SETTINGS_HELP } from './settings-help.ts';

/** Where the summaries begin. */
const COLUMN = 33;

/** `signalbox import FILE [--dry-run]` */
export function synopsis({ name, args, options }: Command): string {
  const words = args.map((arg) => {
    const word = arg.words?.join('|') ?? arg.name;
    return arg.optional ? `[${word}]` : word;
  });
  const switches = Object.entries(options).map(([option, { takes }]) =>
    takes === undefined ? `[--${option}]` : `[--${option} ${takes}]`,
  );
  return ['signalbox', name, ...words, ...switches].filter(Boolean).join(' ');
}

/** What `signalbox --help` prints. */
export function overallHelp(commands: readonly Command[]): string {
  const lines = commands.map((command) => row(`  ${synopsis(command)}`, command.summary));
  return `signalbox - a reverse-proxy manager for your own servers

Usage:
${lines.join('')}${row('  signalbox --version', 'which one this is')}
signalbox COMMAND --help tells more of one.

${EXIT_CODES}
${SETTINGS_HELP}`;
}

/** What `signalbox NAME --help` prints. */
export function commandHelp(command: Command): string {
  const options = Object.entries(command.options).map(([name, { takes, summary }]) =>
    row(`  --${name}${takes === undefined ? '' : ` ${takes}`}`, summary),
  );
  const list = options.length === 0 ? '' : `\nOptions:\n${options.join('')}`;
  return `Usage: ${synopsis(command)}\n\n${command.help}${list}\n${EXIT_CODES}`;
}

const EXIT_CODES =
  'Exit codes: 0 done, 1 it failed (the reason is on standard error), 2 wrong words.\n';

function row(left: string, right: string): string {
  if (left.length > COLUMN - 2) return `${left}\n${' '.repeat(COLUMN)}${right}\n`;
  return `${left.padEnd(COLUMN)}${right}\n`;
}
