/** The page of one proxy: its state, its preamble, what it is to serve, and what can be done with it. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { PreambleForm } from '../config/preamble-form.tsx';
import { get, read, request } from '../lib/api.ts';
import { duration, plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import { useCan } from '../lib/roles.ts';
import { takeFlash } from '../lib/router.ts';
import type { Agent, Preamble } from '../lib/types.ts';
import { useEvery, useLoad } from '../lib/use-load.ts';
import { CaddyfileShown } from '../parts/code-block.tsx';
import { ConfirmButton } from '../parts/dialog.tsx';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { PROXY_CARDS } from '../seldom-features.ts';
import { ProxyActions } from './proxy-actions.tsx';
import { caddyOf, consequenceOf, ProxyStanding } from './standing.tsx';

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
  const canEdit = useCan('editor');
  return (
    <>
      <div class="page-head row">
        <h1>{name}</h1>
        {data && canEdit && <ProxyActions agent={data} isFirst={isFirst} onChanged={reload} />}
      </div>
      {flash && <Notice kind={flash.kind}>{flash.text}</Notice>}
      {error && <Notice kind="error" title={error} />}
      {!data && !error && <SkeletonRows rows={6} label="Loading the proxy" />}
      {data && (
        <div class="cards stack">
          <State agent={data} isFirst={isFirst} />
          {PROXY_CARDS.map((Card) => (
            <Card key={Card.name} name={name} onChanged={reload} />
          ))}
          {canEdit && (
            <section class="card" aria-labelledby="proxy-caddyfile">
              <h2 id="proxy-caddyfile">Caddyfile</h2>
              <p class="muted">The Caddy options, and all sites on this proxy.</p>
              <CaddyfileShown path={`/proxyfile?agent=${name}`} />
            </section>
          )}
          {canEdit && <ProxyPreamble name={name} />}
        </div>
      )}
    </>
  );
}

function State({ agent, isFirst }: { agent: Agent; isFirst: boolean }) {
  const { name, url, fingerprint, sites, detail, skewMs } = agent;
  const consequence = consequenceOf(agent);
  const { status } = useHub();
  const unserved = status?.broken.filter(({ agents = [name] }) => agents.includes(name)).length;
  const canEdit = useCan('editor');
  return (
    <section class="card" aria-label="State">
      <dl class="facts">
        <Fact label="State">
          <ProxyStanding agent={agent} />
          {detail && <span class="block muted">{detail}</span>}
          {consequence && <span class="block muted">{consequence}</span>}
        </Fact>
        <Fact label="Sites">
          <a href={`/sites?agent=${name}`}>{plural(sites, 'site')}</a>
          {unserved ? `, ${unserved} not served` : ''}
        </Fact>
        <Fact label="Caddy">{caddyOf(agent)}</Fact>
        {skewMs !== null && Math.abs(skewMs) >= SKEW_MS && (
          <Fact label="Clock">
            {duration(Math.abs(skewMs))} {skewMs > 0 ? 'ahead of' : 'later than'} the hub’s
          </Fact>
        )}
        {url && (
          <Fact label="Address">
            <span class="mono">{url}</span>
          </Fact>
        )}
        {fingerprint && (
          <Fact label="Certificate">
            <span class="mono">{fingerprint}</span>
          </Fact>
        )}
      </dl>
      {isFirst && canEdit && (
        <p class="muted above">
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

/** The preamble of one proxy: the common one, or its own. */
function ProxyPreamble({ name }: { name: string }) {
  const path = `/preamble?agent=${name}`;
  const { data, error, set } = useLoad(path, (signal) => read<Preamble>(path, signal));
  const [isOpen, setOpen] = useState(false);
  const share = async () => {
    const common = await request<Preamble>(path, {
      method: 'PUT',
      body: { config: null },
      ifMatch: data?.etag,
    });
    setOpen(false);
    set(() => common);
  };
  const isOwn = data?.body.own === true;
  return (
    <section class="card" aria-labelledby="proxy-preamble">
      <div class="card-head row between">
        <h2 id="proxy-preamble">Caddy options</h2>
        {data && isOwn && (
          <ConfirmButton
            button="Use the common one …"
            title={`Use the common options on ${name}?`}
            action="Use the common one"
            onConfirm={share}
          >
            <p>The common Caddy options replace its own at once. You can undo this.</p>
          </ConfirmButton>
        )}
        {data && !isOwn && !isOpen && (
          <button type="button" onClick={() => setOpen(true)}>
            Give it its own …
          </button>
        )}
      </div>
      {error && <Notice kind="error" title={error} />}
      <p class="muted">
        {isOwn ? (
          'This proxy has its own global options and snippets.'
        ) : (
          <>
            This proxy has the <a href="/preamble">common Caddy options</a>.
            {isOpen && ' Change it here to give this proxy its own.'}
          </>
        )}
      </p>
      {data && (isOwn || isOpen) && (
        <PreambleForm loaded={data} agent={name} onSaved={(now) => set(() => now)} />
      )}
    </section>
  );
}
