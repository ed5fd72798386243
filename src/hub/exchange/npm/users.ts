/** Which users of an access list can sign in with a policy. Pure. */
import { faultOf } from '../../recipes/formats.ts';
import { MAX_NAME, MAX_USERS } from '../../recipes/policies/basic-auth.ts';
import type { Remark } from './notes.ts';
import type { AccessList } from './rows.ts';

export type User = AccessList['users'][number];

type Reason = 'empty' | 'never' | 'again' | 'name' | 'password';

const LEVELS: Record<Reason, Remark['level']> = {
  ...{ empty: 'warning', never: 'info', again: 'info', name: 'warning', password: 'warning' },
};

/** What follows the names of those who are left out. */
const WORDS: Record<Reason, string> = {
  empty:
    'left out, because the password is empty. With NPM, that kept out all users from there on; here the others get in.',
  never: 'left out. NPM never let in a name with a colon, or with # at the beginning.',
  again: 'there more than once. The first password counts, as with NPM.',
  name: `left out, because a name may have at most ${MAX_NAME} characters, and no braces. Add the user to the policy under another name.`,
  password:
    'left out, because a password may have at most 72 bytes, and no control characters. Add the user to the policy with another one.',
};

/** The users that get in. @param subject begins the remarks, such as `The access list "Family"` */
export function usersOf(
  listed: AccessList['users'],
  subject: string,
): { users: User[]; remarks: Remark[] } {
  const users: User[] = [];
  const leftOut = new Map<Reason, string[]>();
  const known = new Set<string>();
  for (const user of listed) {
    const reason = reasonToLeaveOut(user, known);
    // nginx compares what precedes the first colon of a line, and skips comments.
    if (!user.name.startsWith('#') && user.password !== '')
      known.add(user.name.split(':')[0] ?? '');
    if (reason === null) users.push(user);
    else leftOut.set(reason, [...(leftOut.get(reason) ?? []), user.name]);
  }
  const remarks = [...leftOut].map(([reason, names]): Remark => {
    const all = [...new Set(names)].map((name) => `“${name}”`).join(', ');
    return { level: LEVELS[reason], text: `${subject}: ${all}: ${WORDS[reason]}` };
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
    const text = `${subject} has no user left. Switched on, the site refuses everybody who would need a password.`;
    return [{ level: 'error', text }];
  }
  if (count <= MAX_USERS) return [];
  const text = `${subject} has ${count} users, but a policy at most ${MAX_USERS}. Switched on, the site admits only the first of them.`;
  return [{ level: 'error', text }];
}
