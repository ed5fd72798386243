/** The table of certificates, a row for each site, sorted by a click on the head of a column. */
import { localTime, plural } from '../lib/format.ts';
import type { Certificate } from '../lib/types.ts';
import { SortHead } from '../parts/sort-head.tsx';
import { Time } from '../parts/time.tsx';
import {
  type Column,
  type Part,
  renewsItself,
  type SiteRow,
  signer,
  sortedBy,
  stateOf,
  type View,
} from './rows.ts';

type Props = { rows: readonly SiteRow[]; view: View; onView: (view: View) => void };

const HEADS: readonly [Column, string][] = [
  ['name', 'Site'],
  ['state', 'State'],
  ['issuer', 'Signed by'],
];

export function CertificateTable({ rows, view, onView }: Props) {
  return (
    <div class="card certificates">
      <table>
        <thead>
          <tr>
            {HEADS.map(([column, label]) => (
              <SortHead
                key={column}
                label={label}
                direction={sortOf(view, column)}
                onSort={() => onView(sortedBy(view, column))}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row: { id, domain, further, parts } }: { row: SiteRow }) {
  const [first, ...others] = parts;
  const { kept, automated } = first.certificate;
  return (
    <tr>
      <td>
        <a href={`/sites/${id}`}>{domain}</a>
        {further.length > 0 && <span class="block tiny muted">{further.join(', ')}</span>}
      </td>
      <td>
        <State of={first.certificate} />
        {others.length > 0 && <span class="small muted"> {whereOf(first, parts)}</span>}
        <Trouble of={first.certificate} />
        {others.length > 0 && (
          <details open={others.some(({ certificate }) => certificate.problem !== null)}>
            <summary class="small muted">{plural(others.length, 'other certificate')}</summary>
            <ul class="lines plain small">
              {others.map((part) => (
                <li key={`${part.names} ${part.agents}`}>
                  {whereOf(part, parts)}: <State of={part.certificate} />
                  {signer(part.certificate) && `, ${signer(part.certificate)}`}
                  <Trouble of={part.certificate} />
                </li>
              ))}
            </ul>
          </details>
        )}
      </td>
      <td class={renewsItself(first.certificate) ? 'muted' : undefined}>
        {signer(first.certificate) || <span class="muted">–</span>}
        {kept && <span class="block tiny muted">stored as {kept}</span>}
        {!automated && <span class="block tiny muted">not renewed automatically</span>}
      </td>
    </tr>
  );
}

function State({ of }: { of: Certificate }) {
  const { level, label } = stateOf(of);
  const style = level === 'plain' ? (renewsItself(of) ? 'muted' : '') : `tag tag-${level}`;
  return of.notAfter ? (
    <time class={style} dateTime={of.notAfter} title={`until ${localTime(of.notAfter)}`}>
      {label}
    </time>
  ) : (
    <span class={style || 'muted'}>{label}</span>
  );
}

/** What is wrong, and what Caddy said of it. */
const Trouble = ({ of: { problem, error } }: { of: Certificate }) => (
  <>
    {problem && <p class="small">{problem}</p>}
    {error?.standing && (
      <details>
        <summary class="small muted">
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
  </>
);

/** `a.example, b.example on edge`: of the names and the proxies, what sets a part apart from the others. */
export function whereOf({ names, agents }: Part, parts: readonly Part[]): string {
  const differ = (of: (part: Part) => readonly string[]) =>
    new Set(parts.map((part) => of(part).join(' '))).size > 1;
  const on = differ((part) => part.agents) ? `on ${agents.join(', ')}` : '';
  return [differ((part) => part.names) ? names.join(', ') : '', on].filter(Boolean).join(' ');
}

const sortOf = (view: View, column: Column) =>
  view.by === column ? (view.down ? 'descending' : 'ascending') : undefined;
