/** `signalbox help [COMMAND]` */
import { type Command, EXIT } from './command.ts';
import { commandHelp, overallHelp, unknownCommand } from './usage.ts';

export const help: Command = {
  name: 'help',
  args: [{ name: 'COMMAND', optional: true }],
  options: {},
  summary: 'show this help, or the help of a command',
  help: 'Same as signalbox --help and signalbox COMMAND --help.\n',
  async run({ args: [name] }, { commands, out, err, fail }) {
    const command = commands.find((other) => other.name === name);
    if (name === undefined || command) {
      out(command ? commandHelp(command) : overallHelp(commands));
      return EXIT.done;
    }
    err(`${overallHelp(commands)}\n`);
    fail(unknownCommand(name, `help ${name}`, commands));
    return EXIT.usage;
  },
};
