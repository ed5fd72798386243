/** What is said above every page: that the hub does not answer, and what a change left behind. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { onAnswer } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import type { Status } from '../lib/types.ts';

export const OfflineNotice = () =>
  useHub().offline ? (
    <div class="offline line small" role="alert">
      <span class="lamp lamp-bad" aria-hidden="true" />
      <strong>The hub does not answer. Retrying …</strong>
    </div>
  ) : null;

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
        <Warning
          title={`${names.join(', ')} did not get this change`}
          onDismiss={() => setLacking(null)}
        >
          Until it does, it still serves deleted sites and ignores new policies.{' '}
          <a href="/proxies">Proxies</a>
        </Warning>
      )}
      {left.length > 0 && (
        <Warning title="The change is live, but" onDismiss={() => setLeft([])}>
          <ul class="plain">
            {left.map((message) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </Warning>
      )}
    </div>
  );
}

type WarningProps = { title: string; onDismiss: () => void; children: ComponentChildren };

const Warning = ({ title, onDismiss, children }: WarningProps) => (
  <div class="notice notice-warning line top between">
    <div>
      <strong>{title}</strong>
      {children}
    </div>
    <button type="button" class="quiet" onClick={onDismiss}>
      Dismiss
    </button>
  </div>
);

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
