/** `signalbox passwd EMAIL`: lets someone in again who is locked out, on the host itself. */
import { messageOf } from '../../shared/async.ts';
import { dataDirOf } from '../data-folder.ts';
import { type Command, EXIT } from './command.ts';

export const passwd: Command = {
  name: 'passwd',
  args: [{ name: 'EMAIL' }],
  options: {
    'reset-factors': { summary: 'remove codes, recovery codes and passkeys; keep the password' },
    owner: { summary: 'give the account the role owner; keep the password' },
  },
  summary: 'reset the password of an account',
  help: `Reads the password from standard input; if that is empty, generates one and prints it. A second
factor stays, unless you remove it with --reset-factors. Ends all sessions of the account. Works on
the database in DATA_DIR, even while the hub runs.
`,
  async run({ args: [email = ''], has }, { env, out, fail }) {
    const [resetFactors, owner] = [has('reset-factors'), has('owner')];
    try {
      // Loaded here: no other small command needs the database.
      const { openBeside } = await import('../../hub/db/open.ts');
      const { generatePassword } = await import('../../hub/auth/accounts/password.ts');
      const { recoverAccount } = await import('../../hub/auth/accounts/recovery.ts');
      const { db, close } = openBeside(dataDirOf(env));
      try {
        if (resetFactors || owner) {
          const address = await recoverAccount(db, email, { resetFactors, owner }, new Date());
          if (resetFactors)
            out(`The second factors and passkeys of ${address} have been removed.\n`);
          if (owner) out(`${address} is an owner.\n`);
          return EXIT.done;
        }
        const given = await readSecretLine('New password (leave empty to generate one): ');
        if (given === null) return EXIT.failed;
        const password = given === '' ? generatePassword() : given;
        await recoverAccount(db, email, { password }, new Date());
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
