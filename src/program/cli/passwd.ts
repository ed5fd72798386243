/** `signalbox passwd EMAIL`: sets a password on the host itself, for someone who is locked out. */
import { messageOf } from '../../shared/async.ts';
import { dataDirOf } from '../data-folder.ts';
import { type Command, EXIT } from './command.ts';

export const passwd: Command = {
  name: 'passwd',
  args: [{ name: 'EMAIL' }],
  options: {},
  summary: 'reset the password of an account',
  help: `Reads the password from standard input; if that is empty, generates one and prints it. Ends all
sessions of the account. Works on the database in DATA_DIR, even while the hub runs.
`,
  async run({ args: [email = ''] }, { env, out, fail }) {
    try {
      // Loaded here: no other small command needs the database.
      const { openBeside } = await import('../../hub/db/open.ts');
      const { generatePassword, resetPassword } = await import(
        '../../hub/auth/accounts/password.ts'
      );
      const { db, close } = openBeside(dataDirOf(env));
      try {
        const given = await readSecretLine('New password (leave empty to generate one): ');
        if (given === null) return EXIT.failed;
        const password = given === '' ? generatePassword() : given;
        await resetPassword(db, email, password, new Date());
        out(
          given === '' ? `The new password is ${password}\n` : 'The password has been changed.\n',
        );
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

/** The first line of standard input, not echoed on a terminal; null after Ctrl-C or Ctrl-D there. */
async function readSecretLine(prompt: string): Promise<string | null> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return (await Bun.stdin.text()).split(/\r?\n/)[0] ?? '';
  stderr.write(prompt);
  stdin.setRawMode(true);
  let typed = '';
  try {
    for await (const chunk of stdin) {
      for (const key of String(chunk)) {
        if (key === '\r' || key === '\n') return typed;
        if (key === '\u0003' || key === '\u0004') return null;
        typed = key === '\u007f' ? [...typed].slice(0, -1).join('') : typed + key;
      }
    }
    return typed;
  } finally {
    stdin.setRawMode(false);
    stderr.write('\n');
  }
}
