/** The problems of disks, and of the hub itself. Pure. */
import { ADVISORIES_AS_OF, advisoriesOldAt, FRESH_DAYS } from '../../../shared/advisories.ts';
import type { Disk } from '../../../shared/wire/proxy.ts';
import type { Locked } from '../../auth/accounts/accounts.ts';
import { listed, type Problem } from '../problem.ts';

/** With less than this share free, a disk is as good as full; with the other one, no longer. */
const FULL = 0.05;
const ROOMY = 0.06;

/** Whether a disk is neither full nor has enough room again. */
export const isBetween = ({ free }: Disk): boolean => free >= FULL && free < ROOMY;

export const isFull = ({ free }: Disk): boolean => free < FULL;

/** Which disk of an agent it is. Not by its id, which is another one after a restart of the machine. */
export const partOf = ({ holds }: Pick<Disk, 'holds'>): string => holds[0] ?? '';

/** Without figures: they change all the time. */
export const fullDisk = ({ holds }: Disk): Problem => ({
  code: 'DISK_FULL',
  level: 'warn',
  message: `Less than 5 % is free on the disk that holds ${listed(holds)}. Delete files, or enlarge it.`,
});

/** Null if the table of advisories is new enough. */
export function oldAdvisories(now: Date): Problem | null {
  const since = advisoriesOldAt();
  if (now < since) return null;
  return {
    code: 'WARNING',
    level: 'warn',
    since: since.toISOString(),
    message: `This signalbox knows Caddy's vulnerabilities as of ${ADVISORIES_AS_OF}, more than ${FRESH_DAYS} days ago. Install a newer signalbox, or look at github.com/caddyserver/caddy/security/advisories.`,
  };
}

export const lostKey = (message: string): Problem => ({
  code: 'SECRET_KEY_UNUSABLE',
  level: 'bad',
  message,
});

/** Null if nobody is locked out. */
export function lockedOut({ emails, isUnknown, networks }: Locked): Problem | null {
  const who = [...emails, ...(isUnknown ? ['accounts that do not exist'] : [])];
  const parts = [
    ...(who.length > 0 ? [`for ${listed(who)}`] : []),
    ...(networks.length > 0 ? [`from ${listed(networks)}`] : []),
  ];
  if (parts.length === 0) return null;
  const message = `Too many failed sign-ins ${parts.join(', and ')}. Try again in 15 minutes.`;
  return { code: 'SIGN_IN_LOCKED', level: 'warn', message };
}
