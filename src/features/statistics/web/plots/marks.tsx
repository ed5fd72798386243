/** Marks on a plot where changes went live. */
import { localTime } from '../../../../web/lib/format.ts';
import type { Entry, LogStats } from '../../../../web/lib/types.ts';
import { useWidth } from '../../../../web/lib/use-browser.ts';
import { type Mark, marksOf } from './plot-data.ts';

type PublishMarksProps = { stats: LogStats | undefined; entries: readonly Entry[] };

/** Pixels between two marks, so that a finger hits only one. */
const APART = 25;

/** Over the plot, as wide as its columns. */
export function PublishMarks({ stats, entries }: PublishMarksProps) {
  const [list, width] = useWidth();
  const marks = stats ? marksOf(stats, entries, width > 0 ? APART / width : 0) : [];
  if (marks.length === 0) return null;
  return (
    <ul ref={list} class="log-marks plain" aria-label="Changes in this period">
      {marks.map((mark) => (
        <li key={mark.entries[0]?.id} style={{ '--at': String(mark.at) }}>
          <a href={addressOf(mark)} title={titleOf(mark)}>
            <span class="visually-hidden">{titleOf(mark)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Most names shown in a title. */
const NAMED = 5;

function titleOf({ entries }: Mark): string {
  const lines = entries.slice(0, NAMED).map(({ action, domain, userName, createdAt }) => {
    return `${action} ${domain} by ${userName}, ${localTime(createdAt)}`;
  });
  const more = entries.length - NAMED;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

function addressOf({ entries }: Mark): string {
  const domains = new Set(entries.map(({ domain }) => domain));
  const [only] = domains;
  return domains.size === 1 && only !== undefined
    ? `/changelog?domain=${encodeURIComponent(only)}`
    : '/changelog';
}
