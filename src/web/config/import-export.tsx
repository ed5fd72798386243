/** The page that imports and exports the configuration, and restores a backup of it. */

import { useState } from 'preact/hooks';
import { get, send, sentenceOf } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import { useCan } from '../lib/roles.ts';
import type { Snapshot } from '../lib/types.ts';
import { useSubmit } from '../lib/use-form.ts';
import { CaddyfileShown } from '../parts/code-block.tsx';
import { Confirm, ReplacesForeign } from '../parts/dialog.tsx';
import { Notice } from '../parts/notice.tsx';
import { DropArea } from './drop-area.tsx';
import { ImportCard } from './import-card.tsx';
import { readSnapshot, restoreSummary, sitesOf } from './import-summary.ts';

export function ImportExport() {
  const canRestore = useCan('owner');
  return (
    <>
      <div class="page-head row">
        <h1>Import & export</h1>
      </div>
      <div class="cards">
        <ImportCard />
        <ExportCard />
        {canRestore && <RestoreCard />}
      </div>
    </>
  );
}

/** Downloads the configuration as a Caddyfile, a snapshot or YAML. */
const ExportCard = () => (
  <section class="card" aria-labelledby="export-title">
    <h2 id="export-title">Export</h2>
    <p>
      The <strong>Caddyfile</strong> is what Caddy serves: the preamble and all sites that are on.
      The <strong>snapshot</strong> also contains the sites that are off, policies and tags; owners
      can restore it here. <strong>YAML</strong> contains the sites and policies, to keep in git;
      apply it with <code>signalbox apply -f FILE</code>, the first time with <code>--adopt</code>.
      All three contain the hashes of the passwords in policies; none contains accounts or the
      changelog.
    </p>
    <CaddyfileShown path="/proxyfile">
      {/* Browsers would add .txt to a name without an extension. */}
      <a class="button" href="/api/proxyfile" download={`signalbox-${today()}.caddyfile`}>
        Download Caddyfile
      </a>
      <a class="button" href="/api/export" download={`signalbox-${today()}.json`}>
        Download snapshot
      </a>
      <a class="button" href="/api/export?format=yaml" download={`signalbox-${today()}.yaml`}>
        Download YAML
      </a>
    </CaddyfileShown>
  </section>
);

/** The local date, `2026-11-21`. */
const today = () => new Date().toLocaleDateString('sv');

type Chosen = { name: string; wanted: Snapshot; present: Snapshot };

/** A longer list of names is cut. */
const MAX_NAMED = 20;

/** Replaces the whole configuration with a snapshot. */
function RestoreCard() {
  const hub = useHub();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [asking, setAsking] = useState(false);
  const [done, setDone] = useState<Snapshot | null>(null);

  const foreign = hub.status?.foreign === true;
  const replaces = foreign || (chosen !== null && chosen.present.vhosts.length > 0);

  const { error, run: choose } = useSubmit(async (text: string, name: string) => {
    setChosen(null);
    setDone(null);
    const wanted = readSnapshot(text);
    setChosen({ name, wanted, present: await get<Snapshot>('/export') });
  });
  const restore = async () => {
    if (!chosen) return;
    const made = await send<Snapshot>(
      'POST',
      replaces ? '/restore?replace=true' : '/restore',
      chosen.wanted,
    );
    setAsking(false);
    setChosen(null);
    setDone(made);
    hub.refresh();
  };

  return (
    <section class="card" aria-labelledby="restore-title">
      <h2 id="restore-title">Restore a snapshot</h2>
      <p class="muted">
        Replaces the preamble, all sites and all policies with those in the file. What is not in the
        file is deleted; only policies stay if the file is from a version without them.
      </p>
      {done && (
        <Notice kind="success" title={`Restored: ${sitesOf(done)}`}>
          The snapshot is live. <a href="/sites">Go to your sites</a>
        </Notice>
      )}
      <DropArea label="Choose a snapshot" accept=".json,application/json" onText={choose} />
      {error !== null && <Notice kind="error">{sentenceOf(error)}</Notice>}
      {chosen && (
        <section class="plan" aria-label="Contents of the snapshot">
          <h3>
            <span role="status">
              <span class="mono">{chosen.name}</span> contains {sitesOf(chosen.wanted)}
            </span>
          </h3>
          <Differences chosen={chosen} />
          <div class="actions">
            <button type="button" onClick={() => setChosen(null)}>
              Cancel
            </button>
            <button type="button" class="danger" onClick={() => setAsking(true)}>
              Restore {plural(chosen.wanted.vhosts.length, 'site')}
            </button>
          </div>
        </section>
      )}
      {asking && chosen && (
        <Confirm
          title="Restore this snapshot?"
          action={`Restore ${plural(chosen.wanted.vhosts.length, 'site')}`}
          {...(replaces ? { name: 'replace' } : {})}
          onConfirm={restore}
          onClose={() => setAsking(false)}
        >
          <Differences chosen={chosen} />
          {foreign && <ReplacesForeign />}
        </Confirm>
      )}
    </section>
  );
}

function Differences({ chosen: { wanted, present } }: { chosen: Chosen }) {
  const { added, changed, same, removed } = restoreSummary(wanted, present);
  const rows: [string, readonly string[]][] = [
    ['Added', added],
    ['Changed', changed],
    ['Deleted', removed],
  ];
  return (
    <ul>
      {rows.map(
        ([word, names]) =>
          names.length > 0 && (
            <li key={word}>
              {word}: {names.slice(0, MAX_NAMED).join(', ')}
              {names.length > MAX_NAMED && ` and ${names.length - MAX_NAMED} more`}
            </li>
          ),
      )}
      {same > 0 && <li>Unchanged: {plural(same, 'site')}</li>}
      <li>
        The preamble {wanted.preamble === present.preamble ? 'stays the same' : 'is replaced'}
      </li>
    </ul>
  );
}
