/** One line that says how many problems there are; it opens to all of them, and to the state of hub, agent and Caddy. Below it, the proxies that are behind. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { onAnswer } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import type { Status } from '../lib/types.ts';
import { lazy } from '../parts/loading.tsx';
import { Time } from '../parts/time.tsx';
import { countedIn, hasLines, headlineOf, levelOf, titleOf } from './problems.ts';

// Loaded when somebody opens it: the line itself is on every page.
const Facts = lazy(async () => (await import('./facts.tsx')).Facts);
const ProblemList = lazy(async () => (await import('./problem-list.tsx')).ProblemList);

/** @param path of the page: the overview names the problems itself */
export function StatusBar({ path }: { path: string }) {
  const { status, offline } = useHub();
  const [isOpen, setOpen] = useState(false);
  if (offline) {
    return (
      <div class="status line small status-bad" role="alert">
        <span class="lamp lamp-bad" aria-hidden="true" />
        <span class="status-main nowrap strong">The hub does not answer. Retrying …</span>
      </div>
    );
  }
  if (!status) return <div class="status small" aria-busy="true" />;
  const { problems, checking, proxy, lastPublish } = status;
  const [worst] = countedIn(problems);
  const level = !worst && checking > 0 ? 'unknown' : levelOf(problems);
  return (
    <details
      class={`status small status-${level}`}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary class="line baseline">
        <span class={`lamp lamp-${level}`} aria-hidden="true" />
        <span class="status-line line baseline grow" role="status">
          <span class="status-main nowrap strong">{headlineOf(status)}</span>
          {worst && path !== '/' && <span class="status-worst cut">{titleOf(worst)}</span>}
        </span>
        <span class="status-facts row end muted">
          {proxy.running && proxy.version && <span>Caddy {versionsIn(status)}</span>}
          {lastPublish && (
            <span>
              published <Time at={lastPublish.at} />
            </span>
          )}
        </span>
      </summary>
      <div class="status-open top">
        {isOpen && hasLines(status) && <ProblemList status={status} />}
        {isOpen && <Facts status={status} />}
      </div>
    </details>
  );
}

/** `2.6.2, 2.11.4`: of all proxies, each once. */
const versionsIn = ({ proxy, agents }: Status): string =>
  [...new Set(agents.map((agent) => agent.proxy.version ?? proxy.version))].join(', ');

/** `asOf` is the last status from before the answer, which cannot know of the change. */
type Lacking = { names: readonly string[]; asOf: Status | null };

/** Says which proxies did not get a change, and what that means, until they have it; and what else it left behind. */
export function BehindNotice() {
  const { status, agents } = useHub();
  const [lacking, setLacking] = useState<Lacking | null>(null);
  const [left, setLeft] = useState<readonly string[]>([]);
  const latest = useRef(status);
  latest.current = status;
  useEffect(
    () =>
      onAnswer((_, body) => {
        const names = behindIn(body);
        if (names.length > 0) setLacking({ names, asOf: latest.current });
        const messages = leftIn(body);
        if (messages.length > 0) setLeft(messages);
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
        <div class="notice notice-warning line top between">
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
      {left.length > 0 && (
        <div class="notice notice-warning line top between">
          <div>
            <strong>The change is live, but</strong>
            <ul class="plain">
              {left.map((message) => (
                <li key={message}>{message}</li>
              ))}
            </ul>
          </div>
          <button type="button" class="quiet" onClick={() => setLeft([])}>
            Dismiss
          </button>
        </div>
      )}
    </div>
  );
}

/** What outlives any change: of a policy, the preamble or an undo as well. */
const LEFT = ['NOT_TRIED', 'STILL_OPEN'];

/** The warnings of an answer that is not that of a site, which says so itself. */
export function leftIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || 'domain' in body) return [];
  if (!('warnings' in body) || !Array.isArray(body.warnings)) return [];
  return body.warnings.flatMap((one: { code?: unknown; message?: unknown } | null) =>
    LEFT.includes(String(one?.code)) ? String(one?.message) : [],
  );
}

/** Their names; none if the answer names none. */
export function behindIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || !('behind' in body)) return [];
  return Array.isArray(body.behind) ? body.behind.map(String) : [];
}
