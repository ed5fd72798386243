/** The words of the command line, taken apart by the table of commands. */
import { parseArgs } from 'node:util';
import type { Command, Given } from './command.ts';

export type Parsed =
  | { ask: 'run'; command: Command; given: Given }
  | { ask: 'help'; command: Command | null }
  | { ask: 'version' }
  /** `command` is the one whose words were wrong, where it is known. */
  | { ask: 'unknown'; command: Command | null };

/** `--help` anywhere asks for help, and does nothing else. */
export function parseWords(words: readonly string[], commands: readonly Command[]): Parsed {
  const [word = '', ...rest] = words;
  const byName = (name: string | undefined) => commands.find((one) => one.name === name) ?? null;
  if (words.includes('--help') || words.includes('-h')) {
    const named = words.find((one) => !one.startsWith('-'));
    return { ask: 'help', command: named === undefined ? null : byName(named) };
  }
  if (word === '--version' || word === '-v') return { ask: 'version' };
  // Without a word it is the first of the table; an empty word is none of them.
  const command = words.length > 0 && word === '' ? null : byName(word);
  const given = command && parseGiven(rest, command);
  return command && given ? { ask: 'run', command, given } : { ask: 'unknown', command };
}

function parseGiven(words: string[], { args, options }: Command): Given | null {
  try {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, { takes }]) => [
          name,
          { type: takes === undefined ? ('boolean' as const) : ('string' as const) },
        ]),
      ),
    });
    const needed = args.filter(({ optional }) => !optional).length;
    if (positionals.length < needed || positionals.length > args.length) return null;
    const fits = positionals.every((word, at) => args[at]?.words?.includes(word) ?? true);
    if (!fits) return null;
    return {
      args: positionals,
      has: (option) => values[option] !== undefined,
      value: (option) => {
        const value = values[option];
        return typeof value === 'string' ? value : undefined;
      },
    };
  } catch {
    // An option it does not have, or one without its value.
    return null;
  }
}
