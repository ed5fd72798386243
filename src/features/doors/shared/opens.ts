/** To whom a site opens, from anyone to nobody. Pure. */

/** The widest first. `unsure`: a trial cannot tell, so it may be anyone. */
export const OPENS = [
  'anyone',
  'unsure',
  'sign-in',
  'password',
  'certificate',
  'networks',
  'nobody',
] as const;
export type Opens = (typeof OPENS)[number];

const widthOf = (one: Opens): number => OPENS.length - OPENS.indexOf(one);

/** The one that lets in the most; null without any. */
export const widest = <T extends { opensTo: Opens }>(all: readonly T[]): T | null =>
  all.reduce<T | null>(
    (best, one) => (best === null || widthOf(one.opensTo) > widthOf(best.opensTo) ? one : best),
    null,
  );
