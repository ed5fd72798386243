/** What the signed-in user may do: what the hub would refuse is not shown. */
import { pageOf } from '../../shared/pages.ts';
import { useUser } from './hub.ts';
import type { User } from './types.ts';

export type Role = User['role'];

/** To pick one from. */
export const ROLES: readonly { value: Role }[] = [
  { value: 'viewer' },
  { value: 'editor' },
  { value: 'owner' },
];

const RANKS: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, owner: 2 };

/** The least role that a page is for. @param path may have a query */
export const neededAt = (path: string): Role =>
  pageOf(path.replace(/[?#].*/, ''))?.needs ?? 'viewer';

/** Whether an account of that role may do what needs another one. */
export const isAllowed = (role: Role, needed: Role): boolean => RANKS[role] >= RANKS[needed];

/** Whether the signed-in user may. */
export function useCan(needed: Role): boolean {
  const user = useUser();
  return user !== null && isAllowed(user.role, needed);
}
