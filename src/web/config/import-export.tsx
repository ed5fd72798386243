/** The page that imports from what features bring or restores a snapshot, and exports. */
import type { ImportSource } from '../feature.ts';
import { useCan } from '../lib/roles.ts';
import { navigate } from '../lib/router.ts';
import { CaddyfileShown } from '../parts/code-block.tsx';
import { Segments } from '../parts/segments.tsx';
import { IMPORT_SOURCES, OWNER_CARDS } from '../seldom-features.ts';
import { FromSnapshot } from './from-snapshot.tsx';

const SNAPSHOT: ImportSource = { name: 'snapshot', label: 'A snapshot', Source: FromSnapshot };

export function ImportExport({ query }: { query: URLSearchParams }) {
  const canRestore = useCan('owner');
  const sources = [...IMPORT_SOURCES, ...(canRestore ? [SNAPSHOT] : [])];
  return (
    <>
      <h1 class="page-head">Import & export</h1>
      <div class="cards stack">
        {sources.length > 0 && <ImportCard sources={sources} from={query.get('from')} />}
        <ExportCard />
        {canRestore && OWNER_CARDS.map((Card) => <Card key={Card.name} />)}
      </div>
    </>
  );
}

type ImportProps = {
  sources: readonly ImportSource[];
  /** The name of the chosen one; by default the first one is. */
  from: string | null;
};

function ImportCard({ sources, from }: ImportProps) {
  const chosen = sources.find(({ name }) => name === from) ?? sources[0];
  return (
    <section class="card" aria-labelledby="import-title">
      <div class="card-head row between">
        <h2 id="import-title">Import from</h2>
        <Segments
          label="Import from"
          options={sources.map(({ name, label }) => [name, label] as const)}
          chosen={chosen?.name ?? ''}
          onChoose={(name) => navigate(`/import?from=${name}`, { replace: true })}
        />
      </div>
      {sources.map((source) => {
        const { name, Source, staysMounted = false } = source;
        if (!staysMounted) return source === chosen && <Source key={name} />;
        return (
          <div key={name} hidden={source !== chosen}>
            <Source />
          </div>
        );
      })}
    </section>
  );
}

/** Downloads the configuration as a Caddyfile, a snapshot or YAML. */
const ExportCard = () => (
  <section class="card" aria-labelledby="export-title">
    <h2 id="export-title">Export</h2>
    <p>
      The <strong>Caddyfile</strong> is what Caddy serves: the Caddy options and all sites that are
      on. The <strong>snapshot</strong> also contains the sites that are off, policies and tags;
      owners can restore it here. <strong>YAML</strong> contains the sites and policies, to keep in
      git; apply it with <code>signalbox apply -f FILE</code>, the first time with{' '}
      <code>--adopt</code>. All three contain the hashes of the passwords in policies; none contains
      accounts or the changelog.
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
