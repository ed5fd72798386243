/** What is wrong, on the first page: also the sites that fail although nothing is reported of them. */
import type { Status } from '../lib/types.ts';
import { lazy } from '../parts/loading.tsx';
import { countedIn, hasLines, headlineOf, sitesOf } from '../status/problems.ts';
import type { Tile } from './answer.ts';

// A house without problems needs none of it.
const ProblemList = lazy(async () => (await import('../status/problem-list.tsx')).ProblemList);

type Props = { status: Status; tiles: readonly Tile[] };

export function Problems({ status, tiles }: Props) {
  const unsaid = unsaidIn(tiles, status);
  if (unsaid.length === 0 && !hasLines(status)) return null;
  return (
    <section class="house-problems" aria-label="Problems">
      <h2>{titleOf(status, unsaid.length > 0)}</h2>
      <ul class="problems plain">
        {unsaid.map(({ site: { id, domain }, health: { text } }) => (
          <li key={id} class="problem-bad">
            <div class="line baseline">
              <span class="lamp lamp-bad" aria-hidden="true" />
              <h3>
                <a class="name" href={`/sites/${id}#explain`}>
                  {domain} fails
                </a>
              </h3>
            </div>
            <p class="small">{text}</p>
          </li>
        ))}
      </ul>
      <ProblemList status={status} sites={tiles.map(({ site }) => site)} />
    </section>
  );
}

/** Those that the last explanation found failing, which no problem names. */
function unsaidIn(tiles: readonly Tile[], { problems }: Status): Tile[] {
  const named = new Set(problems.flatMap(sitesOf).map(({ id }) => id));
  return tiles.filter(
    ({ site, health }) => health.label === FAILING && health.level === 'bad' && !named.has(site.id),
  );
}
const FAILING = 'failing';

/** Of the card with problems, and with what a source will undo. */
function titleOf(status: Status, hasUnsaid: boolean): string {
  if (countedIn(status.problems).length > 0) return headlineOf(status);
  if (hasUnsaid) return 'Failing sites';
  if (status.problems.some(({ known }) => known)) return 'Known problems';
  return status.problems.length > 0 ? 'Notices' : 'Changed by hand';
}
