/** The list of all proxies, and the way to another one. */
import { useState } from 'preact/hooks';
import { useOpener } from '../account/use-opener.ts';
import { takeFlash } from '../lib/flash.ts';
import { plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import type { Agent } from '../lib/types.ts';
import { Notice } from '../parts/notice.tsx';
import { SkeletonRows } from '../parts/skeleton-rows.tsx';
import { caddyOf } from '../status/proxy-words.ts';
import { AddProxy } from './add-proxy.tsx';
import { ProxyStanding } from './standing.tsx';

export function ProxiesPage() {
  const [flash] = useState(takeFlash);
  const { agents } = useHub();
  const { isOpen, opener, close } = useOpener();
  return (
    <>
      <div class="page-head row">
        <h1>Proxies</h1>
        <button {...opener} class="primary">
          Add proxy
        </button>
      </div>
      {flash && <Notice kind={flash.kind}>{flash.text}</Notice>}
      {isOpen && <AddProxy onClose={close} />}
      {agents.length === 0 && <SkeletonRows rows={2} label="Loading proxies" />}
      {agents.length > 0 && (
        <ul class="policies plain card">
          {agents.map((agent) => (
            <ProxyRow key={agent.name} agent={agent} />
          ))}
        </ul>
      )}
      {agents.length === 1 && !isOpen && (
        <p class="muted proxy-why">
          A second proxy serves your sites from another machine: a twin that takes over when the
          first one is down, or a VPS in front of your home. Each site is served everywhere, or only
          on the proxies that you choose. A change goes live on all of them or on none, and a proxy
          that was offline catches up when it returns. “Add proxy” shows how.
        </p>
      )}
    </>
  );
}

function ProxyRow({ agent }: { agent: Agent }) {
  const { name, url, detail, sites } = agent;
  return (
    <li>
      <div class="policy-what flow">
        <a href={`/proxies/${name}`}>{name}</a>
        <span class="muted mono proxy-address">{url}</span>
      </div>
      <p class="policy-summary">
        <ProxyStanding agent={agent} />
        {detail && <span class="block muted">{detail}</span>}
      </p>
      <p class="policy-sites muted">{caddyOf(agent)}</p>
      <p class="policy-changed">
        <a href={`/sites?agent=${name}`}>{plural(sites, 'site')}</a>
      </p>
    </li>
  );
}
