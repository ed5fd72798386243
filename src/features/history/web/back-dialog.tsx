/** The plan of the way back to a moment, of everything or of one site, and what cannot come back; then the way back. */
import { useState } from 'preact/hooks';
import { ApiError, request, send, sentenceOf } from '../../../web/lib/api.ts';
import { clockTime, localTime } from '../../../web/lib/format.ts';
import { GUARD_FIELDS } from '../../../web/lib/guards.ts';
import { submitWith, useSubmit } from '../../../web/lib/use-form.ts';
import { again, useLoad } from '../../../web/lib/use-load.ts';
import { ChangeQuestions } from '../../../web/parts/change-questions.tsx';
import { Dialog, FormActions } from '../../../web/parts/dialog.tsx';
import { DiffView, diffLines } from '../../../web/parts/diff-view.tsx';
import { SkeletonRows } from '../../../web/parts/loading.tsx';
import { Notice, RefusedNotice } from '../../../web/parts/notice.tsx';
import type { Difference } from '../differences.ts';
import type { Restoration } from '../schemas.ts';
import { Changes } from './changes.tsx';

type Props = {
  at: string;
  /** Those that can be brought back alone. */
  sites: readonly Difference[];
  /** Whether it is only about the first of them. */
  isOfSite: boolean;
  onDone: (done: { words: string; group: number | null }) => Promise<void>;
  onClose: () => void;
};

export function BackDialog({ at, sites, isOfSite, onDone, onClose }: Props) {
  const [chosen, setChosen] = useState(isOfSite ? sites[0]?.id : undefined);
  const site = sites.find(({ id }) => id === chosen);
  const wanted = { at, ...(site && { vhosts: [site.id] }) };
  const key = JSON.stringify(wanted);
  const loaded = useLoad(key, async (signal) => {
    const body = { ...wanted, dryRun: true };
    const asked = request<Restoration>('/history/restore?partial=true', { body, signal });
    const found = await asked.then(
      ({ body: plan }) => ({ plan, refusal: null }),
      (refusal: unknown) => ({ plan: null, refusal }),
    );
    return { of: key, ...found };
  });
  const { plan = null, refusal = null } = loaded.data?.of === key ? loaded.data : {};
  const back = useSubmit(async () => {
    const path = `/history/restore?partial=${plan !== null && plan.left.length > 0}`;
    const { group = null } = await send<Restoration>('POST', path, wanted).catch(again(loaded));
    const what = site?.name ?? 'Everything';
    await onDone({ words: `${what} brought back to ${clockTime(at)}`, group });
  });
  return (
    <Dialog title={`Back to ${localTime(at)}?`} onClose={onClose}>
      <form onSubmit={submitWith(() => back.run())}>
        {!isOfSite && (
          <label class="row below">
            Bring back
            <select
              value={chosen ?? ''}
              onChange={({ currentTarget: { value } }) => {
                back.clear();
                setChosen(value === '' ? undefined : Number(value));
              }}
            >
              <option value="">everything</option>
              {sites.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {!plan && refusal === null && <SkeletonRows rows={3} label="Planning" />}
        {refusal !== null && <RefusedNotice error={refusal} />}
        {plan && <Plan of={plan} />}
        {plan?.published && (
          <ChangeQuestions
            of={{ about: key, begin: () => replayOf(wanted) }}
            isGuard={plan.changes.some(isGuard)}
          />
        )}
        <p class="muted small">
          {site ? 'Policies and Caddy options that are there now stay as they are. ' : ''}
          This is one change: one undo takes back all of it.
        </p>
        {back.error !== null && <Refusal error={back.error} />}
        <FormActions
          action={back.busy ? 'Publishing …' : 'Back to here'}
          disabled={!plan || plan.changes.length === 0 || back.busy}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

/** What turned out only now to be gone is left out of the plan, which was made again. */
const Refusal = ({ error }: { error: unknown }) =>
  error instanceof ApiError && error.code === 'NOT_RESTORABLE' ? (
    <Notice kind="error" title={sentenceOf(error)}>
      The plan is now one without it.
    </Notice>
  ) : (
    <RefusedNotice error={error} />
  );

const Plan = ({ of: { changes, diff, left } }: { of: Restoration }) => (
  <div class="stack" role="status">
    {left.length > 0 && (
      <Notice kind="warning" title="These cannot come back, and stay as they are:">
        <ul>
          {left.map(({ name, reason }) => (
            <li key={name}>
              {name}: {reason}
            </li>
          ))}
        </ul>
      </Notice>
    )}
    {changes.length === 0 ? (
      <p>There is nothing to bring back.</p>
    ) : (
      <Changes of={changes} as="back" />
    )}
    {diff !== '' && (
      <details>
        <summary>Changes to the Caddyfile</summary>
        <DiffView lines={diffLines(diff)} label="Changes to the Caddyfile" />
      </details>
    )}
  </div>
);

/** Begins a replay of the way back. @returns its id */
const replayOf = async (wanted: object): Promise<string> => {
  const body = { ...wanted, dryRun: true, replay: true };
  const { replay } = await send<Restoration>('POST', '/history/restore?partial=true', body);
  return replay ?? '';
};

const isGuard = ({ kind, fields }: Difference): boolean =>
  kind === 'policy' || fields.some((field) => GUARD_FIELDS.includes(field));
