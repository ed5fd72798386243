/** The page that imports, exports and restores the configuration. */

import { CaddyfileShown } from './caddyfile-shown.tsx';
import { ImportCard } from './import-card.tsx';
import { RestoreCard } from './restore-card.tsx';

export function ImportExport() {
  return (
    <>
      <div class="page-head row">
        <h1>Import & export</h1>
      </div>
      <div class="cards">
        <ImportCard />
        <ExportCard />
        <RestoreCard />
      </div>
    </>
  );
}

/** Downloads the configuration as a Caddyfile or a snapshot. */
const ExportCard = () => (
  <section class="card" aria-labelledby="export-title">
    <h2 id="export-title">Export</h2>
    <p>
      The <strong>Caddyfile</strong> is what Caddy serves: the preamble and all sites that are on.
      The <strong>snapshot</strong> also contains the sites that are off, policies and tags, and you
      can restore it below. Both contain the hashes of the passwords in policies; neither contains
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
    </CaddyfileShown>
  </section>
);

/** The local date, `2026-11-21`. */
const today = () => new Date().toLocaleDateString('sv');
