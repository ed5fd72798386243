/** The table of certificates, sorted by a click on the head of a column. */
import type { Certificate } from '../lib/types.ts';
import { Time } from '../parts/time.tsx';
import { type Column, expiry, markOf, signer, sortedBy, type View } from './rows.ts';

type Props = { rows: readonly Certificate[]; view: View; onView: (view: View) => void };

const HEADS: readonly [Column, string][] = [
  ['name', 'Name'],
  ['issuer', 'Signed by'],
  ['expires', 'Expires'],
];

export function CertificateTable({ rows, view, onView }: Props) {
  return (
    <div class="card certificates">
      <table>
        <thead>
          <tr>
            {HEADS.map(([column, label]) => (
              <th key={column} aria-sort={sortOf(view, column)}>
                <button type="button" class="sort" onClick={() => onView(sortedBy(view, column))}>
                  {label}
                </button>
              </th>
            ))}
            <th>Renewal</th>
            <th>State</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={`${row.id} ${row.name} ${row.port} ${row.agent}`} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row }: { row: Certificate }) {
  const mark = markOf(row);
  const { id, name, domain, port, notAfter, automated, problem, error, agent } = row;
  return (
    <tr>
      <td>
        <a href={`/sites/${id}`}>{name}</a>
        {port !== 443 && <span class="muted">:{port}</span>}
        {domain.replace(/^https:\/\//, '').replace(/:\d+$/, '') !== name && (
          <span class="block tiny muted">in {domain}</span>
        )}
        {agent && <span class="block tiny muted">on {agent}</span>}
      </td>
      <td>{signer(row) || <span class="muted">–</span>}</td>
      <td class="nowrap">
        {notAfter ? (
          <time dateTime={notAfter} title={notAfter.slice(0, 10)}>
            {expiry(row)}
          </time>
        ) : (
          <span class="muted">–</span>
        )}
      </td>
      <td class="nowrap">{automated ? 'by Caddy' : 'by hand'}</td>
      <td class="certificate-state">
        <span class={`tag tag-${mark.level}`}>{mark.label}</span>
        {problem && <p>{problem}</p>}
        {error?.standing && (
          <details>
            <summary>
              Last error, <Time at={error.at} />
            </summary>
            <pre class="proxy-words">{error.message}</pre>
            {error.retryAt && (
              <p>
                Caddy tries again <Time at={error.retryAt} />.
              </p>
            )}
          </details>
        )}
      </td>
    </tr>
  );
}

const sortOf = (view: View, column: Column) =>
  view.by === column ? (view.down ? 'descending' : 'ascending') : undefined;
