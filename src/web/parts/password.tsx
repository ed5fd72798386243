/** What a form needs that asks for the password of whoever is signed in. */
import { useUser } from '../lib/hub.ts';
import { PASSWORD } from './field-of.tsx';

/** Its fields. */
export const PASSWORD_ALONE = { password: { label: 'Password', ...PASSWORD } };

/** For a password manager: whose password is asked for. */
export function Username() {
  const user = useUser();
  return <input type="hidden" autocomplete="username" value={user?.email ?? ''} />;
}
