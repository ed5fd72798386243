/**
 * Limits of time that fit the machine: `npm test` measures how slow it is before it begins. A limit only
 * ends what hangs; no test asserts how long something takes.
 */

/** 1 on a machine as fast as the reference of scripts/tests/speed.ts; 3 on one that takes three times as long. */
export const SLOWNESS = Math.max(1, Number(process.env.SLOWNESS ?? 1));

/** @param milliseconds for the reference @returns as many as this machine needs */
export const limit = (milliseconds: number): number => Math.round(milliseconds * SLOWNESS);
