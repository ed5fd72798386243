/** How hub, agent and Caddy are, line by line; grey if it is not known. */
import type { ComponentChildren } from 'preact';
import { duration } from '../lib/format.ts';
import type { Status } from '../lib/types.ts';
import { Time } from '../parts/time.tsx';
import { Ports } from './ports.tsx';
import { caddyOf, standingOf } from './proxy-words.ts';

export function Facts({ status }: { status: Status }) {
  const { agent, agents, proxy, lastPublish, inStep, version } = status;
  const isKnown = agent.reachable && proxy.running;
  return (
    <dl class="status-list">
      {agents.length > 1 ? (
        agents.map((one) => (
          <Fact key={one.name} name={one.name}>
            <a href={`/proxies/${one.name}`}>{standingOf(one).label}</a>, {caddyOf(one)}
          </Fact>
        ))
      ) : (
        <>
          <Fact name="In step">
            {isKnown &&
              (inStep ? 'Caddy serves the stored sites' : 'no, Caddy serves something else')}
          </Fact>
          <Fact name="Caddy">
            {agent.reachable &&
              [proxy.version, proxy.running ? 'running' : 'does not answer']
                .filter(Boolean)
                .join(', ')}
          </Fact>
          <Fact name="Ports">{status.serving && <Ports serving={status.serving} />}</Fact>
          <Fact name="Agent">
            {agent.latencyMs === null
              ? 'does not answer'
              : `answers in ${duration(agent.latencyMs)}`}
          </Fact>
        </>
      )}
      <Fact name="Last publish">
        {lastPublish ? (
          <>
            <Time at={lastPublish.at} />, took {duration(lastPublish.milliseconds)}
          </>
        ) : (
          'none since the hub started'
        )}
      </Fact>
      <Fact name="signalbox">{version}</Fact>
    </dl>
  );
}

/** @param children false or null: not known */
function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children === false || children === null ? <span class="muted">not known</span> : children}
      </dd>
    </div>
  );
}
