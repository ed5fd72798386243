/** One line with the state of hub, agent and Caddy; it opens to a list of problems, if any. */
import { duration, plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import { Time } from '../parts/time.tsx';
import { isElsewhere, Ports } from './ports.tsx';
import { type Problem, problemsOf } from './problems.ts';

export function StatusBar() {
  const { status, offline } = useHub();
  if (offline) {
    return (
      <div class="status status-bad" role="alert">
        <span class="lamp" aria-hidden="true" />
        <span class="status-main">The hub does not answer. Retrying …</span>
      </div>
    );
  }
  if (!status) return <div class="status" aria-busy="true" />;
  const problems = problemsOf(status);
  const worst = problems.some(({ level }) => level === 'bad')
    ? 'bad'
    : problems.length > 0
      ? 'warn'
      : 'good';
  const facts = (
    <span class="status-facts">
      {status.agent.latencyMs !== null && <span>agent {duration(status.agent.latencyMs)}</span>}
      {status.proxy.version && <span>Caddy {status.proxy.version}</span>}
      {status.lastPublish && (
        <span>
          published <Time at={status.lastPublish.at} />, {duration(status.lastPublish.milliseconds)}
        </span>
      )}
      <span>signalbox {status.version}</span>
    </span>
  );
  const moved = status.serving !== null && isElsewhere(status.serving) ? status.serving : null;
  if (problems.length === 0 && moved === null) {
    return (
      <div class="status status-good" role="status">
        <span class="lamp" aria-hidden="true" />
        <span class="status-main">All in step</span>
        {facts}
      </div>
    );
  }
  const inStep = worst === 'warn' && status.inStep && !status.foreign ? 'All in step. ' : '';
  return (
    <details class={`status status-${worst}`}>
      <summary>
        <span class="lamp" aria-hidden="true" />
        <span class="status-main" role="status">
          {inStep}
          {problems.length <= 1
            ? (problems[0]?.title ?? 'All in step')
            : `${problems[0]?.title}, and ${plural(problems.length - 1, 'more problem')}`}
        </span>
        {facts}
      </summary>
      <ul class="problems">
        {problems.map((problem) => (
          <ProblemItem key={problem.title} problem={problem} />
        ))}
        {moved && (
          <li>
            <strong>Ports.</strong> <Ports serving={moved} />
          </li>
        )}
      </ul>
    </details>
  );
}

function ProblemItem({ problem: { title, text, link, details } }: { problem: Problem }) {
  return (
    <li>
      <strong>{title}.</strong> {text} {link && <a href={link.to}>{link.label}</a>}
      {details && (
        <details>
          <summary>Details</summary>
          <ul>
            {details.map((detail) => (
              <li key={detail}>{detail}</li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}
