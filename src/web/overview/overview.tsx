/** The first page: whether the house is fine, what is wrong, how each site is, and what was changed last. */
import { useMemo } from 'preact/hooks';
import { OVERVIEW_SECTIONS } from '../features.ts';
import { useHub, usePublishes } from '../lib/hub.ts';
import { useCan } from '../lib/roles.ts';
import type { Group, Vhost } from '../lib/types.ts';
import { useEvery, useGet } from '../lib/use-load.ts';
import { Notice } from '../parts/notice.tsx';
import { Signal } from '../parts/signal.tsx';
import { Time } from '../parts/time.tsx';
import { useStates } from '../sites/use-states.ts';
import { answerOf, tilesOf } from './answer.ts';
import { FirstSteps } from './first-steps.tsx';
import { hasRequests, Lists } from './lists.tsx';
import { Problems } from './problems.tsx';
import { Wall } from './wall.tsx';

const EVERY_MS = 30_000;

export function Overview() {
  const { status } = useHub();
  const canEdit = useCan('editor');
  const publishes = usePublishes();
  const sites = useGet<Vhost[]>('/vhosts', publishes);
  const changes = useGet<Group[]>('/changelog?grouped=true', publishes);
  useEvery(EVERY_MS, () => [sites, changes].map(({ reload }) => reload()));
  const { states, hour } = useStates(publishes);
  const tiles = useMemo(
    () => sites.data && tilesOf(sites.data, status, states),
    [sites.data, status, states],
  );
  const isEmpty = tiles?.length === 0;
  const { state, words } = answerOf(tiles, status);
  const groups = changes.data ?? [];
  const [last] = groups;
  return (
    <>
      <div class="answer row">
        <h1 class="visually-hidden">Overview</h1>
        {!isEmpty && <Signal state={state} />}
        <div class="grow">
          <p class="answer-words" role="status">
            {words}
          </p>
          {last && (
            <p class="muted">
              Last change{' '}
              <a href={`/changelog#change-${last.group}`}>
                <Time at={last.createdAt} />
              </a>{' '}
              by {last.userName}.
            </p>
          )}
        </div>
        {canEdit && (
          <a class="button primary" href="/sites/new">
            New site
          </a>
        )}
      </div>
      {sites.error && <Notice kind="error" title={sites.error} />}
      {status && tiles && (
        <div class="stack">
          <div class="house">
            <Problems status={status} tiles={tiles} />
            {!isEmpty && <Wall tiles={tiles} />}
          </div>
          {isEmpty && canEdit && <FirstSteps foreign={status.foreign} />}
          {hasRequests(hour) &&
            OVERVIEW_SECTIONS.map((Section, at) => (
              <Section key={at} entries={groups.flatMap(({ entries }) => entries)} />
            ))}
          {/* Together, so that none moves another. */}
          {hour !== undefined && !isEmpty && (changes.data || changes.error) && (
            <Lists sites={sites.data ?? []} activity={hour} status={status} groups={groups} />
          )}
        </div>
      )}
    </>
  );
}
