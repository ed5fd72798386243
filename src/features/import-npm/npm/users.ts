/** Which users of an access list can sign in with a policy. Pure. */
import { faultOf } from '../../../hub/recipes/formats.ts';
import { MAX_NAME, MAX_USERS } from '../../../hub/recipes/policies/basic-auth.ts';
import { named, type Remark } from './notes.ts';
import type { AccessList } from './rows.ts';

export type User = AccessList['users'][number];

type Reason = 'empty' | 'never' | 'again' | 'name' | 'password';

const LEVELS: Record<Reason, Remark['level']> = {
  empty: 'error',
  never: 'info',
  again: 'info',
  name: 'warning',
  password: 'warning',
};

/** Why their names are not taken over. */
const WORDS: Record<Reason, string> = {
  empty:
    'The password is empty. In NPM, this locks out all users of the list. Switched on, the site lets the others in.',
  never: 'NPM never lets in a name with a colon, or with # at the beginning.',
  again: 'An earlier entry has the same name, and as in NPM, only its password is valid.',
  name: `A name may have at most ${MAX_NAME} characters, and no braces or control characters. Add the user to the policy under another name.`,
  password:
    'A password may have at most 72 bytes, and no control characters. Add the user to the policy with another password.',
};

/** The users that get in. @param subject begins the remarks, such as `The access list "Family"` */
export function usersOf(
  listed: AccessList['users'],
  subject: string,
): { users: User[]; remarks: Remark[] } {
  const users: User[] = [];
  const leftOut: { reason: Reason; name: string }[] = [];
  const known = new Set<string>();
  for (const user of listed) {
    const reason = reasonToLeaveOut(user, known);
    // nginx compares what precedes the first colon of a line, and skips comments.
    if (!user.name.startsWith('#') && user.password !== '')
      known.add(user.name.split(':')[0] ?? '');
    if (reason === null) users.push(user);
    else leftOut.push({ reason, name: user.name });
  }
  const groups = Map.groupBy(leftOut, ({ reason }) => reason);
  const remarks = [...groups].map(([reason, all]): Remark => {
    const names = named(all.map(({ name }) => name));
    return { level: LEVELS[reason], text: `${subject} comes without ${names}. ${WORDS[reason]}` };
  });
  const error = errorFor(users.length, subject);
  return { users: users.slice(0, MAX_USERS), remarks: [...remarks, ...error] };
}

function reasonToLeaveOut({ name, password }: User, known: ReadonlySet<string>): Reason | null {
  if (password === '') return 'empty';
  if (name === '' || name.startsWith('#') || name.includes(':')) return 'never';
  if (known.has(name)) return 'again';
  if (name.length > MAX_NAME || faultOf(name, 'user-name') !== null) return 'name';
  return faultOf(password, 'password') === null ? null : 'password';
}

function errorFor(count: number, subject: string): Remark[] {
  if (count === 0) {
    const text = `${subject} has no user who can sign in. Once switched on, the site refuses everybody who would need a password.`;
    return [{ level: 'error', text }];
  }
  if (count <= MAX_USERS) return [];
  const text = `${subject} has ${count} users; a policy can have ${MAX_USERS}. Once switched on, the site admits only the first ${MAX_USERS}.`;
  return [{ level: 'error', text }];
}
