/** `signalbox help`, and the texts of `--help`, made from the tables of commands and settings. */
import { nearest } from '../../shared/nearest.ts';
import { ROLES, type Role, type Setting } from '../../shared/setting.ts';
import { visible } from '../../shared/visible.ts';
import { settings } from '../settings.ts';
import { type Command, EXIT, named } from './command.ts';

export const help: Command = {
  name: 'help',
  args: [{ name: 'COMMAND', optional: true }],
  options: {},
  summary: 'show this help, or that of a command, all commands or all settings',
  help: `signalbox help                  as signalbox --help
signalbox help COMMAND          as signalbox COMMAND --help
signalbox help commands         all commands
signalbox help settings         all settings
`,
  async run({ args: [name] }, { commands, out, fail }) {
    if (name === 'commands' || name === 'settings') {
      out(name === 'commands' ? commandsHelp(commands) : settingsHelp(ROLES));
      return EXIT.done;
    }
    const command = commands.find((other) => other.name === name);
    if (name === undefined || command) {
      out(command ? commandHelp(command) : overallHelp(commands));
      return EXIT.done;
    }
    fail(unknownCommand(name, `help ${name}`, commands));
    return EXIT.usage;
  },
};

/** Where the summaries of commands and options begin. */
const COLUMN = 33;
/** Where the meanings of settings begin. */
const SETTING_COLUMN = 24;
/** How wide a line may be. */
const WIDTH = 100;

/** What its longest line begins with. */
const USAGE = 'Usage: ';

/** `signalbox backup FILE [--force]`; its options are not named one by one if there are many, except those it needs. */
export function synopsis({ name, args, options }: Command): string {
  const words = args.map((arg, at) => {
    const word = [...(arg.words ?? [arg.name]), args[at + 1]?.after ?? []].flat().join('|');
    return arg.optional ? `[${word}]` : word;
  });
  const all = Object.entries(options);
  const needed = all.flatMap(([option, how]) => (how.needed ? [named(option, how)] : []));
  const switches = all.flatMap(([option, { takes, needed, repeats }]) => {
    if (needed) return [];
    return `[--${option}${takes === undefined ? '' : ` ${takes}`}]${repeats ? '...' : ''}`;
  });
  const line = (rest: readonly string[]) =>
    ['signalbox', name, ...words, ...needed, ...rest].filter(Boolean).join(' ');
  const whole = line(switches);
  return whole.length <= WIDTH - USAGE.length ? whole : line(['[OPTIONS]']);
}

/** `signalbox: unknown command: imprt; did you mean import?` @param given all that was typed */
export function unknownCommand(word: string, given: string, commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).filter((name) => name !== '');
  const guess = nearest(word, names);
  const question = guess === undefined ? '; see signalbox --help' : `; did you mean ${guess}?`;
  return `signalbox: unknown command: ${visible(given)}${question}`;
}

/** What `signalbox --help` prints: what most people use. */
export function overallHelp(commands: readonly Command[]): string {
  const usual = commands.filter(({ isSeldom }) => !isSeldom);
  return `signalbox - a reverse-proxy manager for homelabs

${commandsHelp(usual)}Run "signalbox COMMAND --help" for more about a command, "signalbox help commands" for all of them.

${EXIT_CODES}${otherExits(commands)}
${settingsHelp(ROLES, ({ isUsual }) => isUsual === true)}Run "signalbox help settings" for all of them.
`;
}

/** What `signalbox help commands` prints. */
export function commandsHelp(commands: readonly Command[]): string {
  const lines = commands.map((command) => row(`  ${synopsis(command)}`, command.summary));
  return `Usage:\n${lines.join('')}${row('  signalbox --version', 'print the version')}\n`;
}

/** What `signalbox NAME --help` prints. */
export function commandHelp(command: Command): string {
  const options = Object.entries(command.options).map(([name, { takes, summary, short }]) => {
    const letter = short === undefined ? '' : `-${short}, `;
    return row(`  ${letter}--${name}${takes === undefined ? '' : ` ${takes}`}`, summary);
  });
  const list = options.length === 0 ? '' : `\nOptions:\n${options.join('')}`;
  const used = command.role === undefined ? '' : `\n${settingsHelp([command.role])}`;
  return `${USAGE}${synopsis(command)}\n\n${command.help}${list}\n${command.exits?.help ?? EXIT_CODES}${used}`;
}

const EXIT_CODES =
  'Exit codes: 0 success, 1 failure (the reason is on standard error), 2 wrong usage.\n';

/** Which commands have others. */
function otherExits(commands: readonly Command[]): string {
  const names = commands.flatMap(({ name, exits }) => (exits ? name : []));
  return `Those of ${names.join(' and ')} are others: see their --help.\n`;
}

/** The settings that at least one of `roles` uses, with their defaults. @param isWanted which of them */
export function settingsHelp(
  roles: readonly Role[],
  isWanted: (setting: Setting) => boolean = () => true,
): string {
  const used = settings.filter(
    ([, setting]) => isWanted(setting) && setting.roles.some((role) => roles.includes(role)),
  );
  const lines = used.map(([name, { default: usual, onOneMachine, meaning, secret }]) => {
    const notes = [
      ...(secret ? [`or ${name}_FILE`] : []),
      ...(usual === null ? [] : [`default ${usual}`]),
      ...(onOneMachine && roles.includes('all') ? [`on one machine ${onOneMachine}`] : []),
    ].join('; ');
    const fits = `${meaning} (${notes})`.length <= WIDTH - SETTING_COLUMN;
    const gap = fits ? ' ' : `\n${' '.repeat(SETTING_COLUMN)}`;
    return row(`  ${name}`, meaning + (notes && `${gap}(${notes})`), SETTING_COLUMN);
  });
  return `Settings, from the environment or a .env file in the working folder:\n${lines.join('')}`;
}

function row(left: string, right: string, column = COLUMN): string {
  if (left.length >= column) return `${left}\n${' '.repeat(column)}${right}\n`;
  return `${left.padEnd(column)}${right}\n`;
}
