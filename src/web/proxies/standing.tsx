/** The state of a proxy in words and colour. */
import type { Agent } from '../lib/types.ts';
import { ClockTime } from '../parts/clock-time.tsx';
import { Icon } from '../parts/icon.tsx';
import { standingOf } from '../status/proxy-words.ts';

export function ProxyStanding({ agent }: { agent: Agent }) {
  const { level, label, since } = standingOf(agent);
  return (
    <span class="proxy-standing flow small">
      <span class={`health muted health-${level}`}>
        <Icon name={level} />
        {label}
      </span>
      {since && (
        <span class="muted">
          since <ClockTime at={since} />
        </span>
      )}
    </span>
  );
}
