/** `signalbox help [COMMAND]` */
import { type Command, EXIT } from './command.ts';
import { commandHelp, overallHelp } from './usage.ts';

export const help: Command = {
  name: 'help',
  args: [{ name: 'COMMAND', optional: true }],
  options: {},
  summary: 'this list, or more of one command',
  help: 'The same as signalbox --help and signalbox COMMAND --help.\n',
  async run({ args: [name] }, { commands, out, err, fail }) {
    if (name === undefined) {
      out(overallHelp(commands));
      return EXIT.done;
    }
    const command = commands.find((one) => one.name === name);
    if (command) {
      out(commandHelp(command));
      return EXIT.done;
    }
    err(`${overallHelp(commands)}\n`);
    fail(`signalbox: unknown: help ${name}`);
    return EXIT.usage;
  },
};
