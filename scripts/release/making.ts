/** What every part of a release is made from. */
export type Making = Readonly<{
  /** The project's folder. */
  root: string;
  /** Where the files go; the binaries are there first. */
  out: string;
  version: string;
  /** Seconds since 1970, of everything in it. */
  date: number;
}>;
