/** Restores a snapshot, which replaces the whole configuration. */
import { useState } from 'preact/hooks';
import { get, send, sentenceOf } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import type { Snapshot } from '../lib/types.ts';
import { useSubmit } from '../lib/use-form.ts';
import { ConfirmButton, ReplacesForeign } from '../parts/dialog.tsx';
import { DropArea, readTextFile } from '../parts/drop-area.tsx';
import { Notice } from '../parts/notice.tsx';
import { readSnapshot, restoreSummary, sitesOf } from './snapshot.ts';

type Chosen = { name: string; wanted: Snapshot; present: Snapshot };

/** A longer list of names is cut. */
const MAX_NAMED = 20;

export function FromSnapshot() {
  const hub = useHub();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [done, setDone] = useState<Snapshot | null>(null);

  const foreign = hub.status?.foreign === true;
  const replaces = foreign || (chosen !== null && chosen.present.vhosts.length > 0);

  const { error, run: choose } = useSubmit(async (file: File) => {
    setChosen(null);
    setDone(null);
    const wanted = readSnapshot(await readTextFile(file));
    setChosen({ name: file.name, wanted, present: await get<Snapshot>('/export') });
  });
  const restore = async () => {
    if (!chosen) return;
    const made = await send<Snapshot>(
      'POST',
      replaces ? '/restore?replace=true' : '/restore',
      chosen.wanted,
    );
    setChosen(null);
    setDone(made);
    hub.refresh();
  };

  const action = `Restore ${plural(chosen?.wanted.vhosts.length ?? 0, 'site')}`;
  return (
    <>
      <p class="muted">
        Restores a snapshot: replaces the Caddy options, all sites and all policies with those in
        the file. What is not in the file is deleted; only policies stay if the file is from a
        version without them.
      </p>
      {done && (
        <Notice kind="success" title={`Restored: ${sitesOf(done)}`}>
          The snapshot is live. <a href="/sites">Go to your sites</a>
        </Notice>
      )}
      <DropArea label="Choose a snapshot" accept=".json,application/json" onFile={choose} />
      {error !== null && <Notice kind="error">{sentenceOf(error)}</Notice>}
      {chosen && (
        <section aria-label="Contents of the snapshot">
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
            <ConfirmButton
              button={action}
              class="danger"
              title="Restore this snapshot?"
              action={action}
              {...(replaces ? { name: 'replace' } : {})}
              onConfirm={restore}
            >
              <Differences chosen={chosen} />
              {foreign && <ReplacesForeign />}
            </ConfirmButton>
          </div>
        </section>
      )}
    </>
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
        The Caddy options {wanted.preamble === present.preamble ? 'stay the same' : 'are replaced'}
      </li>
    </ul>
  );
}
