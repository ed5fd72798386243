/** What the overview says about each problem. Pure. */
import type { Status } from '../lib/types.ts';
import { problemsOf } from '../status/problems.ts';

export type ProblemLine = {
  level: 'bad' | 'warn';
  text: string;
  /** Where it can be solved, with what is found there. */
  link?: { to: string; label: string };
  /** ISO 8601; null if the hub does not say. */
  since: string | null;
};

/** A problem as the hub reports it in its status. */
export type Reported = {
  level: 'bad' | 'warn';
  message: string;
  since: string;
  vhost?: { id: number; domain: string };
};

/** Worst first; a hub that does not report problems has them derived from the rest of its status. */
export function problemLines(status: Status & { problems?: readonly Reported[] }): ProblemLine[] {
  if (!status.problems) {
    return problemsOf(status).map(({ level, title, text, link }) => ({
      level,
      text: text === '' ? title : `${title}. ${text}`,
      ...(link ? { link } : {}),
      since: null,
    }));
  }
  return status.problems.map(({ level, message, since, vhost }) => ({
    level,
    text: message,
    ...(vhost ? { link: { to: `/sites/${vhost.id}`, label: vhost.domain } } : {}),
    since,
  }));
}
