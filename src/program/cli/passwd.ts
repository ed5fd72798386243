/** `signalbox passwd EMAIL`: for who is locked out, on the host itself. */
import { dataDirOf } from '../config.ts';
import { type Command, EXIT, messageOf } from './command.ts';

export const passwd: Command = {
  name: 'passwd',
  args: [{ name: 'EMAIL' }],
  options: {},
  summary: 'a new password for who is locked out',
  help: `Reads it from standard input, or makes one and prints it where nothing is given. All sessions
of the account end. Works on DATA_DIR, beside a hub that runs.
`,
  async run({ args: [email = ''] }, { env, out, fail }) {
    try {
      // Loaded here: no other small command needs the database.
      const { openBeside } = await import('../../hub/db/open.ts');
      const { generatePassword, resetPassword } = await import('../../hub/auth/reset-password.ts');
      const { db, close } = openBeside(dataDirOf(env));
      try {
        const given = await readSecretLine('New password (empty: make one): ');
        if (given === null) return EXIT.failed;
        const password = given === '' ? generatePassword() : given;
        await resetPassword(db, email, password, new Date());
        out(given === '' ? `The new password is ${password}\n` : 'The password is changed.\n');
        return EXIT.done;
      } finally {
        close();
      }
    } catch (error) {
      fail(`signalbox passwd: ${messageOf(error)}`);
      return EXIT.failed;
    }
  },
};

/**
 * A line from standard input: what is typed at a terminal is not shown, a pipe is read to its first
 * line end. Null where Ctrl-C was typed.
 */
async function readSecretLine(prompt: string): Promise<string | null> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return (await Bun.stdin.text()).split(/\r?\n/)[0] ?? '';
  stderr.write(prompt);
  stdin.setRawMode(true);
  let typed = '';
  try {
    for await (const chunk of stdin) {
      for (const sign of String(chunk)) {
        if (sign === '\r' || sign === '\n') return typed;
        if (sign === '\u0003' || sign === '\u0004') return null;
        typed = sign === '\u007f' ? [...typed].slice(0, -1).join('') : typed + sign;
      }
    }
    return typed;
  } finally {
    stdin.setRawMode(false);
    stderr.write('\n');
  }
}
