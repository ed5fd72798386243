/** The problems of disks, and of the hub itself. Pure. */
import type { Disk } from '../../shared/wire.ts';
import type { Locked } from '../auth/accounts/accounts.ts';
import { type Finding, listed } from './problem.ts';

/** With less than this share free, a disk is as good as full; with the other one, no longer. */
const FULL = 0.05;
const ROOMY = 0.06;

/** Whether a disk is neither full nor has enough room again. */
export const isBetween = ({ free }: Disk): boolean => free >= FULL && free < ROOMY;

export const isFull = ({ free }: Disk): boolean => free < FULL;

/** Without figures: they change all the time. */
export const fullDisk = ({ holds }: Disk): Finding => ({
  code: 'DISK_FULL',
  level: 'warn',
  message: `Less than 5 % is free on the disk that holds ${listed(holds)}. Delete files, or enlarge it.`,
});

/** A channel whose oldest message could not be delivered; `detail` says why. */
export type FailingChannel = Readonly<{ name: string; since: Date; detail: string }>;

/** For a receiver that only restarts, nobody has to be called. */
const FAILING_MS = 600_000;

/** Those that have taken nothing for a while. */
export const failingChannels = (all: readonly FailingChannel[], now: Date): Finding[] =>
  all
    .filter(({ since }) => now.getTime() - since.getTime() >= FAILING_MS)
    .map(({ name, since, detail }) => ({
      code: 'CHANNEL_FAILING',
      level: 'warn',
      since: since.toISOString(),
      message: `Messages do not reach the channel ${name}: ${detail}`,
    }));

/** Null if nobody is locked out. */
export function lockedOut({ emails, isUnknown, networks }: Locked): Finding | null {
  const who = [...emails, ...(isUnknown ? ['accounts that do not exist'] : [])];
  const parts = [
    ...(who.length > 0 ? [`for ${listed(who)}`] : []),
    ...(networks.length > 0 ? [`from ${listed(networks)}`] : []),
  ];
  if (parts.length === 0) return null;
  const message = `Too many failed sign-ins ${parts.join(', and ')}. Try again in 15 minutes.`;
  return { code: 'SIGN_IN_LOCKED', level: 'warn', message };
}
