/** A snapshot takes the place of everything. */
import { useState } from 'preact/hooks';
import { get, send, sentenceOf } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import type { Snapshot } from '../lib/types.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Notice } from '../parts/notice.tsx';
import { DropArea } from './drop-area.tsx';
import { readSnapshot, restoreSummary, sitesOf } from './import-summary.ts';

type Chosen = { name: string; wanted: Snapshot; present: Snapshot };

/** As many names as a person reads. */
const MOST_NAMED = 20;

export function RestoreCard() {
  const hub = useHub();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [done, setDone] = useState<Snapshot | null>(null);

  const foreign = hub.status?.foreign === true;
  const replaces = foreign || (chosen !== null && chosen.present.vhosts.length > 0);

  const take = async (text: string, name: string) => {
    setChosen(null);
    setDone(null);
    setError(null);
    try {
      const wanted = readSnapshot(text);
      setChosen({ name, wanted, present: await get<Snapshot>('/export') });
    } catch (reason) {
      setError(sentenceOf(reason));
    }
  };
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
        Preamble and sites become what they are in the file. Sites that are not in it are deleted.
      </p>
      {done && (
        <Notice kind="success" title={`Restored: ${sitesOf(done)}`}>
          They are what Caddy serves now. <a href="/">To the sites</a>
        </Notice>
      )}
      <DropArea label="Choose a snapshot" accept=".json,application/json" onText={take} />
      {error && <Notice kind="error">{error}</Notice>}
      {chosen && (
        <section class="plan" aria-label="What the snapshot holds">
          <h3>
            <span role="status">
              <span class="mono">{chosen.name}</span> holds {sitesOf(chosen.wanted)}
            </span>
          </h3>
          <Differences chosen={chosen} />
          <div class="actions">
            <button type="button" onClick={() => setChosen(null)}>
              Put it away
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
          {foreign && (
            <p>
              Caddy serves sites that signalbox did not write: they are replaced, and their
              Caddyfile is kept as a copy.
            </p>
          )}
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
              {word}: {names.slice(0, MOST_NAMED).join(', ')}
              {names.length > MOST_NAMED && ` and ${names.length - MOST_NAMED} more`}
            </li>
          ),
      )}
      {same > 0 && <li>{plural(same, 'site')} as it is now</li>}
      <li>
        The preamble {wanted.preamble === present.preamble ? 'stays as it is' : 'is replaced'}
      </li>
    </ul>
  );
}
