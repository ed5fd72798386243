/** How a site is now: its state, what features find, and its requests. */
import { useState } from 'preact/hooks';
import { SITE_SECTIONS } from '../features.ts';
import { silentIn, useHub } from '../lib/hub.ts';
import type { SiteState, Vhost } from '../lib/types.ts';
import type { Loaded } from '../lib/use-load.ts';
import { anyOf } from '../logs/filter/filters.ts';
import { hostsOf } from '../logs/filter/site-names.ts';
import { healthOf, outagesIn, problemsOf, type SiteProblem } from './problem.ts';
import { SiteTraffic } from './site-traffic.tsx';
import { StatePanel } from './state-panel.tsx';

type Props = {
  site: Vhost;
  state: Loaded<SiteState>;
  /** The worst problem that the status reports of it. */
  problem: SiteProblem | undefined;
  onChanged: () => Promise<unknown>;
};

export function SiteNow({ site, state, problem, onChanged }: Props) {
  const { status, agents } = useHub();
  const hosts = hostsOf(site, state.data);
  const [chosen, setChosen] = useState('');
  const all = anyOf(hosts);
  const host = hosts.includes(chosen) ? chosen : all || (hosts[0] ?? '');
  return (
    <div class="stack">
      <StatePanel
        state={state}
        problem={problem}
        known={problemsOf(status, site.id).filter(({ known }) => known)}
        silent={silentIn(agents)}
        health={healthOf(site, problem, undefined, outagesIn(status))}
      />
      {SITE_SECTIONS.map((Section) => (
        <Section key={Section.name} site={site} onChanged={onChanged} />
      ))}
      {hosts.length > 1 && (
        <label class="row">
          Requests to
          <select value={host} onChange={(event) => setChosen(event.currentTarget.value)}>
            {all !== '' && <option value={all}>all names</option>}
            {hosts.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      {host !== '' && <SiteTraffic key={host} host={host} site={site} onChanged={onChanged} />}
    </div>
  );
}
