/** `signalbox completion bash|zsh|fish` */
import { type Command, EXIT } from './command.ts';
import { bashScript, fishScript, zshScript } from './completion-scripts.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

const isShell = (word: string | undefined): word is keyof typeof SCRIPTS =>
  word !== undefined && Object.hasOwn(SCRIPTS, word);

export const completion: Command = {
  name: 'completion',
  args: [{ name: 'SHELL', words: Object.keys(SCRIPTS) }],
  options: {},
  summary: 'print a script for shell completion',
  help: `To load it in this shell, or in every new one:
  bash   source <(signalbox completion bash)
         signalbox completion bash > /etc/bash_completion.d/signalbox
  zsh    signalbox completion zsh > "\${fpath[1]}/_signalbox"
  fish   signalbox completion fish > ~/.config/fish/completions/signalbox.fish
`,
  async run({ args: [shell] }, { commands, out }) {
    if (!isShell(shell)) return EXIT.usage;
    out(SCRIPTS[shell](commands));
    return EXIT.done;
  },
};
