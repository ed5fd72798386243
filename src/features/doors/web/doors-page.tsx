/** "What is open": who gets in to each site and who came, the most surprising first; and closing several at once. */
import { useState } from 'preact/hooks';
import { get, send } from '../../../web/lib/api.ts';
import { plural } from '../../../web/lib/format.ts';
import { usePublishes } from '../../../web/lib/hub.ts';
import type { Policy } from '../../../web/lib/types.ts';
import { useSubmit } from '../../../web/lib/use-form.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import { ChangeQuestions } from '../../../web/parts/change-questions.tsx';
import { Empty } from '../../../web/parts/empty.tsx';
import { Field } from '../../../web/parts/field.tsx';
import { SkeletonRows } from '../../../web/parts/loading.tsx';
import { Notice, RefusedNotice } from '../../../web/parts/notice.tsx';
import type { DoorView } from '../schemas.ts';
import { isGuard } from '../words.ts';
import { DoorRow } from './door-row.tsx';

type Closed = { policy: string; vhosts: number[]; group?: number; replay?: string };

const NOTHING = 'These sites have that policy already.';

export function DoorsPage() {
  const publishes = usePublishes();
  const { data, error, reload } = useLoad(`doors ${publishes}`, (signal) =>
    get<DoorView[]>('/doors', signal),
  );
  const { data: policies } = useLoad(`doors policies ${publishes}`, (signal) =>
    get<Policy[]>('/policies', signal),
  );
  /** Its name; empty: the one that lets in only the own network. */
  const [policy, setPolicy] = useState('');
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const [closed, setClosed] = useState<Closed | null>(null);
  const change = { vhosts: chosen, ...(policy !== '' && { policy }) };
  const close = useSubmit(async () => {
    const now = await send<Closed>('POST', '/doors/close', change);
    if (now.vhosts.length === 0) throw new Error(NOTHING);
    setClosed(now);
    setChosen([]);
    await reload();
  });
  const undo = useSubmit(async (group: number) => {
    await send('POST', `/changelog/groups/${group}/revert`);
    setClosed(null);
    await reload();
  });
  const ask = async () => {
    const { replay } = await send<Closed>('POST', '/doors/close', { ...change, dryRun: true });
    if (replay) return replay;
    throw new Error(NOTHING);
  };
  const guards = policies?.filter(({ recipe }) => isGuard(recipe)) ?? [];
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
        A test Caddy is asked for each site as a stranger; your services notice nothing. Visitors
        are those of the last 90 days. This page does not show whether your router lets strangers
        reach Caddy at all.
      </p>
      {error && <Notice kind="error" title={error} />}
      {!data && !error && <SkeletonRows rows={6} label="Asking each site" />}
      {data?.length === 0 && <Empty>There are no sites yet.</Empty>}
      {closed && (
        <div role="status">
          <Notice kind="success" title={`${plural(closed.vhosts.length, 'site')} closed`}>
            Now the policy {closed.policy} decides who gets in.{' '}
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
          <Field label={`Who gets in to ${plural(chosen.length, 'site')}`}>
            {(attributes) => (
              <select
                {...attributes}
                value={policy}
                onChange={(event) => setPolicy(event.currentTarget.value)}
              >
                <option value="">Only your own network</option>
                {guards.map(({ id, name }) => (
                  <option key={id} value={name}>
                    By the policy {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <ChangeQuestions of={{ about: `${policy} ${chosen.join(' ')}`, begin: ask }} isGuard />
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
