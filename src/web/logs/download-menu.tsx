/** Links that download all requests that match; the browser saves them as they arrive. */
import { count } from '../lib/format.ts';
import { EXPORT_FORMATS, exportAddress, type Filters } from './filters.ts';

/** The hub's limit, see `X-Export-Limit`. */
const MOST = 1_000_000;

export function DownloadMenu({ filters, total }: { filters: Filters; total: number | undefined }) {
  return (
    <details class="log-download">
      <summary class="button">Download</summary>
      <div class="card">
        <p class="muted">
          {total !== undefined && total > MOST
            ? `The oldest ${count(MOST)} of ${count(total)} matches.`
            : `All ${total === undefined ? '' : `${count(total)} `}matches, oldest first.`}
        </p>
        {EXPORT_FORMATS.map((format) => (
          <a key={format} href={exportAddress(filters, format)} download>
            {LABELS[format]}
          </a>
        ))}
      </div>
    </details>
  );
}

const LABELS = { csv: 'CSV, for spreadsheets', ndjson: 'NDJSON, with all details' };
