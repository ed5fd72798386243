/**
 * How much of what takes long is tried: `npm test -- --full` tries all of it. Which kills, files and
 * requests are tried is the same each time, unless a variable of the test asks for others.
 */
export const FULL = process.env.FULL === '1';

/** @param variable sets another number */
export const some = (usual: number, full: number, variable = ''): number =>
  Number(process.env[variable] ?? (FULL ? full : usual));
