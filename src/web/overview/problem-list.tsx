/** All problems, worst first, each with where to solve it. */
import type { Status } from '../lib/types.ts';
import { Time } from '../parts/time.tsx';
import { problemLines } from './problem-lines.ts';

export function ProblemList({ status }: { status: Status }) {
  const lines = problemLines(status);
  if (lines.length === 0) return null;
  return (
    <section class="card overview-problems" aria-label="Problems">
      <h2>{lines.length === 1 ? '1 problem' : `${lines.length} problems`}</h2>
      <ul class="facts">
        {lines.map(({ level, text, link, since }) => (
          <li key={`${link?.to} ${text}`}>
            <span class={`lamp lamp-${level}`} aria-hidden="true" />
            <span>
              {text} {link && <a href={link.to}>{link.label}</a>}{' '}
              {since !== null && (
                <span class="muted">
                  since <Time at={since} />
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
