/** The page that imports, exports and restores the configuration. */
import { ExportCard } from './export-card.tsx';
import { ImportCard } from './import-card.tsx';
import { RestoreCard } from './restore-card.tsx';

export function ImportExport() {
  return (
    <>
      <div class="page-head">
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
