/** The state of a proxy in words and colour. */
import { duration } from '../lib/format.ts';
import type { Agent } from '../lib/types.ts';
import { Icon } from '../parts/icon.tsx';
import { ClockTime } from '../parts/time.tsx';

export function ProxyStanding({ agent }: { agent: Agent }) {
  const { level, label, since } = standingOf(agent);
  return (
    <span class="row baseline small">
      <span class={`nowrap muted health-${level}`}>
        <Icon name={level} /> {label}
      </span>
      {since && (
        <span class="muted">
          since <ClockTime at={since} />
        </span>
      )}
    </span>
  );
}

type Standing = {
  level: 'good' | 'warn' | 'bad' | 'off';
  label: string;
  /** Since when, ISO 8601; null if it does not matter. */
  since: string | null;
};

const STATES: Readonly<Record<Agent['state'], Pick<Standing, 'level' | 'label'>>> = {
  'in-step': { level: 'good', label: 'up to date' },
  behind: { level: 'warn', label: 'out of date' },
  unreachable: { level: 'bad', label: 'unreachable' },
  refused: { level: 'bad', label: 'refused' },
};

const DOWN = { level: 'bad', label: 'Caddy is down' } as const;

type State = Pick<Agent, 'state' | 'paused' | 'proxy' | 'latencyMs'>;

/** Whether its agent says so. */
const isDown = ({ proxy, latencyMs }: Pick<State, 'proxy' | 'latencyMs'>): boolean =>
  latencyMs !== null && !proxy.running;

/** How a proxy is, for people. */
export function standingOf(agent: State & Pick<Agent, 'since'>): Standing {
  const { state, paused, since } = agent;
  const { level, label } = isDown(agent) ? DOWN : STATES[state];
  const isInStep = state === 'in-step';
  return {
    level: paused ? 'off' : level,
    label: !paused ? label : isInStep ? 'paused' : `paused, ${label}`,
    since: isInStep ? null : since,
  };
}

/** What that means for its visitors; null if nothing, or if the detail says it. */
export function consequenceOf(agent: State): string | null {
  const { state, paused } = agent;
  if (isDown(agent)) return 'Visitors get nothing there until Caddy runs.';
  if (paused && state === 'in-step') return 'Changes will not reach it until you resume it.';
  if (state === 'in-step' || state === 'refused') return null;
  const until = paused ? 'you resume it' : 'it returns';
  return `Changes do not reach it until ${until}: it still serves deleted sites and ignores new policies.`;
}

/** `Caddy 2.6.2 · answers in 1.2 ms`. Without its agent, nothing is known of it. */
export function caddyOf({ proxy, latencyMs }: Pick<Agent, 'proxy' | 'latencyMs'>): string {
  if (latencyMs === null) return 'Caddy is not known';
  const name = proxy.version === null ? 'Caddy' : `Caddy ${proxy.version}`;
  return proxy.running ? `${name} · answers in ${duration(latencyMs)}` : `${name} is down`;
}
