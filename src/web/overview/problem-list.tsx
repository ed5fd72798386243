/** All problems, worst first, each with where to solve it. */
import type { Status } from '../lib/types.ts';
import { Time } from '../parts/time.tsx';
import { type ProblemLine, problemLines } from './problem-lines.ts';

/** Shown at once; the rest on demand, so that the figures stay in view. */
const MOST = 5;

export function ProblemList({ status }: { status: Status }) {
  const lines = problemLines(status);
  if (lines.length === 0) return null;
  const more = lines.slice(MOST);
  return (
    <section class="card overview-problems" aria-label="Problems">
      <h2>{lines.length === 1 ? '1 problem' : `${lines.length} problems`}</h2>
      <Lines lines={lines.slice(0, MOST)} />
      {more.length > 0 && (
        <details>
          <summary>{more.length} more</summary>
          <Lines lines={more} />
        </details>
      )}
    </section>
  );
}

function Lines({ lines }: { lines: readonly ProblemLine[] }) {
  return (
    <ul class="facts">
      {lines.map(({ level, text, link, since }) => (
        <li key={`${link?.to} ${text}`}>
          <span class={`lamp lamp-${level}`} aria-hidden="true" />
          <span>
            {text} {link && <a href={link.to}>{link.label}</a>}{' '}
            {since !== null && (
              <span class="muted">
                <Time at={since} />
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
