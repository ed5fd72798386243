/** Says which proxies did not get a change, and what that means, until they have it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { onAnswer } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import type { Status } from '../lib/types.ts';

/** `asOf` is the last status from before the answer, which cannot know of the change. */
type Lacking = { names: readonly string[]; asOf: Status | null };

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
            Until it does, Caddy there goes on as before: it serves what was deleted, and lets in
            whom a policy shuts out. <a href="/proxies">Proxies</a>
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
