/** What time it is, and how long something took: parameters, so that a test can set them. */
export type Clock = Readonly<{
  now: () => Date;
  /** Milliseconds from a clock that is never set. */
  elapsed: () => number;
}>;
