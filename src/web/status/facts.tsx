/** How hub, agent and Caddy are, line by line; grey if it is not known. */
import type { ComponentChildren } from 'preact';
import { duration } from '../lib/format.ts';
import type { Status } from '../lib/types.ts';
import { Ports } from '../parts/ports.tsx';
import { Time } from '../parts/time.tsx';
import { caddyOf, standingOf } from '../proxies/standing.tsx';

export function Facts({ status }: { status: Status }) {
  const { agent, agents, proxy, lastPublish, version } = status;
  const [only] = agents;
  const isKnown = agent.reachable && proxy.running;
  return (
    <dl class="facts">
      {agents.length > 1 ? (
        agents.map((one) => (
          <Fact key={one.name} name={one.name}>
            <a href={`/proxies/${one.name}`}>{standingOf(one).label}</a>, {caddyOf(one)}
          </Fact>
        ))
      ) : (
        <>
          <Fact name="Up to date">
            {isKnown &&
              (only?.state === 'in-step'
                ? 'Caddy serves the stored sites'
                : `no: ${only?.detail ?? 'Caddy serves something else'}`)}
          </Fact>
          <Fact name="Caddy">
            {agent.reachable &&
              [proxy.version, proxy.running ? 'running' : 'down'].filter(Boolean).join(', ')}
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
      <Fact name="Advisories">
        {status.advisories && `${status.advisories.length || 'none'} known`}
        {` on ${status.advisoriesAsOf}`}
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
