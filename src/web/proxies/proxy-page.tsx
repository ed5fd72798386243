/** The page of one proxy: its state, what it is to serve, and what can be done with it. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { CaddyfileShown } from '../config/caddyfile-shown.tsx';
import { get } from '../lib/api.ts';
import { takeFlash } from '../lib/flash.ts';
import { duration, plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import type { Agent } from '../lib/types.ts';
import { useEvery } from '../lib/use-every.ts';
import { useLoad } from '../lib/use-load.ts';
import { Notice } from '../parts/notice.tsx';
import { SkeletonRows } from '../parts/skeleton-rows.tsx';
import { caddyOf, consequenceOf } from '../status/proxy-words.ts';
import { ProxyActions } from './proxy-actions.tsx';
import { ProxyPreamble } from './proxy-preamble.tsx';
import { ProxyStanding } from './standing.tsx';

const EVERY_MS = 5_000;
/** Less is not worth a word. */
const SKEW_MS = 1_000;

export function ProxyPage({ name }: { name: string }) {
  const [flash] = useState(takeFlash);
  const { agents } = useHub();
  const { data, error, reload } = useLoad(`proxy ${name}`, (signal) =>
    get<Agent>(`/agents/${name}`, signal),
  );
  useEvery(EVERY_MS, reload);
  const isFirst = agents[0]?.name === name;
  return (
    <>
      <div class="page-head row">
        <h1>{name}</h1>
        {data && <ProxyActions agent={data} isFirst={isFirst} onChanged={reload} />}
      </div>
      {flash && <Notice kind={flash.kind}>{flash.text}</Notice>}
      {error && <Notice kind="error" title={error} />}
      {!data && !error && <SkeletonRows rows={6} label="Loading the proxy" />}
      {data && (
        <div class="cards">
          <State agent={data} isFirst={isFirst} />
          <section class="card" aria-labelledby="proxy-caddyfile">
            <h2 id="proxy-caddyfile">Target Caddyfile</h2>
            <p class="muted">The preamble, and all enabled sites placed on it.</p>
            <CaddyfileShown path={`/proxyfile?agent=${name}`} />
          </section>
          <ProxyPreamble name={name} />
        </div>
      )}
    </>
  );
}

function State({ agent, isFirst }: { agent: Agent; isFirst: boolean }) {
  const { name, url, fingerprint, sites, detail, skewMs } = agent;
  const consequence = consequenceOf(agent);
  return (
    <section class="card" aria-label="State">
      <dl class="proxy-facts">
        <Fact label="State">
          <ProxyStanding agent={agent} />
          {detail && <span class="block muted">{detail}</span>}
          {consequence && <span class="block muted">{consequence}</span>}
        </Fact>
        <Fact label="Serves">
          <a href={`/sites?agent=${name}`}>{plural(sites, 'site')}</a>
        </Fact>
        <Fact label="Caddy">{caddyOf(agent)}</Fact>
        {skewMs !== null && Math.abs(skewMs) >= SKEW_MS && (
          <Fact label="Clock">
            {duration(Math.abs(skewMs))} {skewMs > 0 ? 'ahead of' : 'behind'} the hub’s
          </Fact>
        )}
        <Fact label="Address">
          <span class="mono">{url}</span>
        </Fact>
        {fingerprint && (
          <Fact label="Certificate">
            <span class="mono">{fingerprint}</span>
          </Fact>
        )}
      </dl>
      {isFirst && (
        <p class="muted">
          The settings of the hub say where the first proxy is, what it is called (
          <code>AGENT_NAME</code>) and what its token is, so it can only be paused here.
        </p>
      )}
    </section>
  );
}

const Fact = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);
