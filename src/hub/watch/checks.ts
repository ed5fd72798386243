/** What the checks of sites say between changes, as a feature learns it. */

/** Since when, and what came instead of the right answer. */
export type FailingCheck = Readonly<{ since: Date; reason: string }>;

export type Checks = Readonly<{
  /** Null if it does not fail, or nobody knows. */
  of(vhost: number, agent: number): FailingCheck | null;
  /** Whether a vhost is asked there, but was not often enough to tell. */
  isUnknown(vhost: number, agent: number): boolean;
  /** How a vhost answered in each of the last hours, up to this one, in which it was asked; oldest first. */
  hours(vhost: number, count: number): readonly CheckedHour[];
}>;

/** `hour`: hours since 1970; how often it was asked then, and answered wrong. */
export type CheckedHour = Readonly<{ hour: number; asked: number; failed: number }>;

/** Nobody is asked. */
export const NO_CHECKS: Checks = { of: () => null, isUnknown: () => false, hours: () => [] };
