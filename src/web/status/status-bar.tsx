/** One line that says how many problems there are; it opens to all of them, and to the state of hub, agent and Caddy. */
import { count, plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import { Time } from '../parts/time.tsx';
import { Facts } from './facts.tsx';
import { ProblemList } from './problem-list.tsx';
import { levelOf, titleOf } from './problems.ts';

export function StatusBar() {
  const { status, offline } = useHub();
  if (offline) {
    return (
      <div class="status small status-bad" role="alert">
        <span class="lamp lamp-bad" aria-hidden="true" />
        <span class="status-main strong">The hub does not answer. Retrying …</span>
      </div>
    );
  }
  if (!status) return <div class="status small" aria-busy="true" />;
  const { problems, proxy, lastPublish } = status;
  const [worst] = problems;
  return (
    <details class={`status small status-${levelOf(problems)}`}>
      <summary>
        <span class={`lamp lamp-${levelOf(problems)}`} aria-hidden="true" />
        <span class="status-line" role="status">
          <span class="status-main strong">
            {problems.length === 0 ? 'No problems' : plural(problems.length, 'problem')}
          </span>
          {worst && <span class="status-worst cut">{titleOf(worst)}</span>}
        </span>
        <span class="status-facts flow end muted">
          {proxy.version && <span>Caddy {proxy.version}</span>}
          {lastPublish && (
            <span>
              published <Time at={lastPublish.at} />
            </span>
          )}
        </span>
      </summary>
      <div class="status-open">
        {problems.length > 0 && <ProblemList status={status} />}
        <Facts status={status} />
      </div>
    </details>
  );
}

/** How many problems there are, beside an entry of the menu. */
export function ProblemCount() {
  const { status, offline } = useHub();
  const problems = status?.problems ?? [];
  if (offline || problems.length === 0) return null;
  return (
    <span class={`problem-count tiny problem-count-${levelOf(problems)}`}>
      {count(problems.length)}
      <span class="visually-hidden">{problems.length === 1 ? ' problem' : ' problems'}</span>
    </span>
  );
}
