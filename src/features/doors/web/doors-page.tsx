/** "What is open": who gets in to each site and who came, the most surprising first; and closing several at once. */
import { useState } from 'preact/hooks';
import { get, send } from '../../../web/lib/api.ts';
import { plural } from '../../../web/lib/format.ts';
import { usePublishes } from '../../../web/lib/hub.ts';
import { useSubmit } from '../../../web/lib/use-form.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import { ChangeQuestions } from '../../../web/parts/change-questions.tsx';
import { Empty } from '../../../web/parts/empty.tsx';
import { SkeletonRows } from '../../../web/parts/loading.tsx';
import { Notice, RefusedNotice } from '../../../web/parts/notice.tsx';
import type { DoorView } from '../schemas.ts';
import { DoorRow } from './door-row.tsx';

type Closed = { policy: string; vhosts: number[]; group?: number; replay?: string };

export function DoorsPage() {
  const publishes = usePublishes();
  const { data, error, reload } = useLoad(`doors ${publishes}`, (signal) =>
    get<DoorView[]>('/doors', signal),
  );
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const [closed, setClosed] = useState<Closed | null>(null);
  const close = useSubmit(async () => {
    setClosed(await send<Closed>('POST', '/doors/close', { vhosts: chosen }));
    setChosen([]);
    await reload();
  });
  const undo = useSubmit(async (group: number) => {
    await send('POST', `/changelog/groups/${group}/revert`);
    setClosed(null);
    await reload();
  });
  const ask = async () => {
    const body = { vhosts: chosen, dryRun: true };
    const { replay } = await send<Closed>('POST', '/doors/close', body);
    if (replay) return replay;
    throw new Error('These sites let in only your own network already.');
  };
  const proposed = data?.flatMap(({ vhost, proposal }) => (proposal ? vhost : [])) ?? [];

  return (
    <>
      <div class="page-head row">
        <h1>What is open</h1>
        {proposed.length > 0 && (
          <button type="button" onClick={() => setChosen(proposed)}>
            Select what only home uses
          </button>
        )}
      </div>
      <p class="prose muted">
        A test Caddy is asked for each site as a stranger; your services notice nothing. Whether
        your router lets strangers reach Caddy at all, it cannot tell.
      </p>
      {error && <Notice kind="error" title={error} />}
      {!data && !error && <SkeletonRows rows={6} label="Asking each site" />}
      {data?.length === 0 && <Empty>There are no sites yet.</Empty>}
      {closed && (
        <div role="status">
          <Notice kind="success" title={`${plural(closed.vhosts.length, 'site')} closed`}>
            Only your own network gets in, by the policy {closed.policy}.{' '}
            {closed.group !== undefined && (
              <button
                type="button"
                disabled={undo.busy}
                onClick={() => undo.run(closed.group ?? 0)}
              >
                Undo
              </button>
            )}
          </Notice>
        </div>
      )}
      {[close.error, undo.error].map(
        (one, at) => one !== null && <RefusedNotice key={at} error={one} />,
      )}
      {chosen.length > 0 && (
        <section class="card below" aria-label="Close">
          <p>Only your own network will get in to {plural(chosen.length, 'site')}.</p>
          <ChangeQuestions of={{ about: chosen.join(' '), begin: ask }} isGuard />
          <button type="button" class="primary" disabled={close.busy} onClick={() => close.run()}>
            Close {plural(chosen.length, 'site')}
          </button>
        </section>
      )}
      {data && data.length > 0 && (
        <ul class="card lines plain" aria-label="Sites">
          {data.map((door) => (
            <DoorRow
              key={door.vhost}
              door={door}
              isChosen={chosen.includes(door.vhost)}
              onChoose={(isChosen) =>
                setChosen(
                  isChosen ? [...chosen, door.vhost] : chosen.filter((id) => id !== door.vhost),
                )
              }
            />
          ))}
        </ul>
      )}
    </>
  );
}
