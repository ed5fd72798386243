/** One line that says how many problems there are; it opens to all of them, and to the state of hub, agent and Caddy. Below it, the proxies that are behind. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { onAnswer } from '../lib/api.ts';
import { count, plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import type { Status } from '../lib/types.ts';
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
        <span class="status-main nowrap strong">The hub does not answer. Retrying …</span>
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
          <span class="status-main nowrap strong">
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

/** `asOf` is the last status from before the answer, which cannot know of the change. */
type Lacking = { names: readonly string[]; asOf: Status | null };

/** Says which proxies did not get a change, and what that means, until they have it. */
export function BehindNotice() {
  const { status, agents } = useHub();
  const [lacking, setLacking] = useState<Lacking | null>(null);
  const latest = useRef(status);
  latest.current = status;
  useEffect(
    () =>
      onAnswer((_, body) => {
        const names = behindIn(body);
        if (names.length > 0) setLacking({ names, asOf: latest.current });
      }),
    [],
  );
  const names = lacking?.names.filter(
    (name) =>
      lacking.asOf === status ||
      agents.some((agent) => agent.name === name && agent.state !== 'in-step'),
  );
  return (
    <div class="behind" role="status">
      {names && names.length > 0 && (
        <div class="notice notice-warning">
          <p>
            <strong>{names.join(', ')} did not get this change</strong>
            Until it does, it still serves deleted sites and ignores new policies.{' '}
            <a href="/proxies">Proxies</a>
          </p>
          <button type="button" class="quiet" onClick={() => setLacking(null)}>
            Dismiss
          </button>
        </div>
      )}
    </div>
  );
}

/** Their names; none if the answer names none. */
export function behindIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || !('behind' in body)) return [];
  return Array.isArray(body.behind) ? body.behind.map(String) : [];
}
