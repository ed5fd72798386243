/** Parses the command line by the table of commands. */
import { parseArgs } from 'node:util';
import type { Command, Given } from './command.ts';

export type Parsed =
  | { ask: 'run'; command: Command; given: Given }
  | { ask: 'help'; command: Command | null }
  | { ask: 'version' }
  /** The arguments are wrong; `command` is null if there is no such command, `word` as it is called. */
  | { ask: 'unknown'; command: Command | null; word: string };

/** With `--help` anywhere, nothing but help is asked for. */
export function parseWords(words: readonly string[], commands: readonly Command[]): Parsed {
  const [word = '', ...rest] = words;
  const byName = (name: string | undefined) =>
    commands.find((command) => command.name === name) ?? null;
  if (words.includes('--help') || words.includes('-h')) {
    const named = words.find((other) => !other.startsWith('-'));
    const command = named === undefined ? null : byName(named);
    if (named !== undefined && !command) return { ask: 'unknown', command, word: named };
    return { ask: 'help', command };
  }
  if (word === '--version' || word === '-v') return { ask: 'version' };
  // Without any word, the command named '' runs; an empty word is not that command.
  const command = words.length > 0 && word === '' ? null : byName(word);
  const given = command && parseGiven(rest, command);
  return command && given ? { ask: 'run', command, given } : { ask: 'unknown', command, word };
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
    // An unknown option, or one without its value.
    return null;
  }
}
