/** What the overview says about each problem. Pure. */
import type { Status } from '../lib/types.ts';

export type ProblemLine = {
  level: 'bad' | 'warn';
  text: string;
  /** Where it can be solved, with what is found there. */
  link?: { to: string; label: string };
  /** ISO 8601. */
  since: string;
};

/** Worst first. */
export const problemLines = ({ problems }: Status): ProblemLine[] =>
  problems.map(({ level, message, since, vhost }) => ({
    level,
    text: message,
    ...(vhost ? { link: { to: `/sites/${vhost.id}`, label: vhost.domain } } : {}),
    since,
  }));
