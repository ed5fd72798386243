/**
 * Limits of time that fit the machine: `npm test` measures how slow it is before it begins, and what else it
 * has to do shows in its load. A limit only ends what hangs; no test asserts how long something takes.
 */
import { availableParallelism, loadavg } from 'node:os';

/** 1 on a machine as fast as the reference of scripts/tests/speed.ts; 3 on one that takes three times as long. */
export const SLOWNESS = Math.max(1, Number(process.env.SLOWNESS ?? 1));

/** How many wait for each core, themselves included, in the mean of a minute. */
const crowdOf = () => (loadavg()[0] ?? 0) / availableParallelism();

/** @param milliseconds for the reference with nothing else to do @returns as many as this machine needs right now */
export const limit = (milliseconds: number): number =>
  Math.round(milliseconds * Math.max(SLOWNESS, crowdOf()));
