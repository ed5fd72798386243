/** `signalbox completion bash|zsh|fish` */
import { type Command, EXIT } from './command.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

const isShell = (word: string | undefined): word is keyof typeof SCRIPTS =>
  word !== undefined && Object.hasOwn(SCRIPTS, word);

export const completion: Command = {
  name: 'completion',
  isSeldom: true,
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

type Commands = readonly Command[];

/** Whether a placeholder stands for a path. */
const isFile = (name: string | undefined): boolean => /^(FILE|DIR|FOLDER)$/.test(name ?? '');

const named = (commands: Commands) => commands.filter(({ name }) => name !== '');

/** The fixed words that may follow a command's name. */
const wordsOf = ({ args }: Command, commands: Commands): readonly string[] =>
  args.flatMap(({ name, words, after }) =>
    name === 'COMMAND' ? named(commands).map((command) => command.name) : (words ?? after ?? []),
  );

/** In single quotes, for bash and zsh. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** For bash 4 and newer; does not need bash-completion. */
export function bashScript(commands: Commands): string {
  const cases = named(commands).map((command) => {
    const options = Object.entries(command.options);
    const words = [
      ...wordsOf(command, commands),
      ...options.map(([name]) => `--${name}`),
      '--help',
    ].join(' ');
    const files = command.args.some(({ name }) => isFile(name)) ? 'yes' : '';
    const listed = command.args.map(({ listedBy }, at) =>
      listedBy === undefined
        ? ''
        : ` [ "$COMP_CWORD" -ne ${at + 2} ] || words=$("\${COMP_WORDS[0]}" ${listedBy} "\${COMP_WORDS[@]:2:${at}}" 2>/dev/null);`,
    );
    return `    ${command.name}) words=${quoted(words)} files=${files};${listed.join('')} ;;\n`;
  });
  const taking = commands.flatMap((command) =>
    Object.entries(command.options).flatMap(([name, { takes, short }]) => {
      const forms = [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
      return isFile(takes) ? forms.map((form) => `'${command.name} ${form}'`) : [];
    }),
  );
  const values =
    taking.length === 0
      ? ''
      : `  case "\${COMP_WORDS[1]} $prev" in ${taking.join('|')}) words= files=yes ;; esac\n`;
  const first = [...named(commands).map(({ name }) => name), '--help', '--version'].join(' ');
  return `# bash completion for signalbox
_signalbox() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} words= files=
  if [ "$COMP_CWORD" -eq 1 ]; then words=${quoted(first)}
  else case \${COMP_WORDS[1]} in
${cases.join('')}  esac; fi
${values}  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur"; [ -z "$files" ] || compgen -f -- "$cur")
  [ -z "$files" ] || compopt -o filenames 2>/dev/null
  return 0
}
complete -F _signalbox signalbox
`;
}

/** For a folder in `fpath`, or to be sourced. */
export function zshScript(commands: Commands): string {
  // Colons separate words from descriptions, brackets enclose those of options.
  const plain = (text: string) => text.replace(/[[\]:]/g, '\\$&');
  const list = named(commands).map(
    ({ name, summary }) => `    ${quoted(`${name}:${plain(summary)}`)}\n`,
  );
  const cases = named(commands).map((command) => {
    const { args, options } = command;
    const words = wordsOf(command, commands).join(' ');
    const specs = [
      ...args.map((arg, at) => {
        const after = args[at + 1]?.after;
        const files = after ? `{compadd ${after.join(' ')}; _files}` : '_files';
        const action = isFile(arg.name) ? files : words === '' ? '' : `(${words})`;
        if (arg.listedBy !== undefined) {
          const list = `signalbox ${arg.listedBy} \${words[2,${at + 1}]} 2>/dev/null`;
          return `${at + 1}:${plain(arg.name)}:{compadd -- \${(f)"$(${list})"}}`;
        }
        return `${at + 1}:${plain(arg.name)}:${action}`;
      }),
      ...Object.entries(options).flatMap(([name, { summary, takes, short }]) => {
        const value = takes === undefined ? '' : `:${takes}:${isFile(takes) ? '_files' : ''}`;
        const forms = [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
        return forms.map((form) => `${form}[${plain(summary)}]${value}`);
      }),
      '--help[show help]',
    ];
    return `    ${command.name}) _arguments ${specs.map(quoted).join(' ')} ;;\n`;
  });
  return `#compdef signalbox
_signalbox() {
  local -a commands
  commands=(
${list.join('')}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${cases.join('')}  esac
}
if [ "$funcstack[1]" = _signalbox ]; then _signalbox "$@"; else compdef _signalbox signalbox; fi
`;
}

/** For fish 3 and newer. */
export function fishScript(commands: Commands): string {
  const lines = named(commands).flatMap((command) => {
    const { name, summary, args, options } = command;
    const after = `complete -c signalbox -n '__fish_seen_subcommand_from ${name}'`;
    const words = wordsOf(command, commands);
    return [
      `complete -c signalbox -n __fish_use_subcommand -a ${name} -d ${fishQuoted(summary)}`,
      ...(words.length === 0 ? [] : [`${after} -a ${fishQuoted(words.join(' '))}`]),
      ...(args.some((arg) => isFile(arg.name)) ? [`${after} -F`] : []),
      ...args.flatMap(({ listedBy }, at) =>
        listedBy === undefined
          ? []
          : [
              `complete -c signalbox -n '__fish_seen_subcommand_from ${name}; and test (count (commandline -opc)) -eq ${at + 2}' -a '(signalbox ${listedBy} (commandline -opc)[3..] 2>/dev/null)'`,
            ],
      ),
      ...Object.entries(options).map(([option, { summary: what, takes, short }]) => {
        const value = takes === undefined ? '' : isFile(takes) ? ' -r -F' : ' -x';
        const letter = short === undefined ? '' : ` -s ${short}`;
        return `${after} -l ${option}${letter}${value} -d ${fishQuoted(what)}`;
      }),
    ];
  });
  return `# fish completion for signalbox
complete -c signalbox -f
complete -c signalbox -l help -d 'show help'
complete -c signalbox -n __fish_use_subcommand -l version -d 'print the version'
${lines.join('\n')}
`;
}

/** In single quotes, where fish escapes with a backslash. */
const fishQuoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
