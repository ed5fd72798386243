/** Asks the requests of the last week of a change before it is made, and says whose answers would be others. */
import type { PlannedChange } from '../../../web/feature.ts';
import { send } from '../../../web/lib/api.ts';
import { plural } from '../../../web/lib/format.ts';
import { Notice, RefusedNotice } from '../../../web/parts/notice.tsx';
import { ClockTime } from '../../../web/parts/time.tsx';
import type { ReplayView } from '../routes.ts';
import { countsOf, headlineOf, outcomeOf, siteOf } from '../words.ts';
import { useReplay } from './use-replay.ts';

type Group = ReplayView['groups'][number];

/** The hub's, unless it is asked for others. */
const DAYS = 7;
/** Groups that are shown at once; the most serious come first. */
const FIRST = 4;

/** Nothing is left of a replay once the change is another one. */
export function Replay({ of, agent, isGuard = false }: PlannedChange) {
  if ('about' in of) return <Asked key={of.about} begin={of.begin} isGuard={isGuard} />;
  const body = { operations: of, agent };
  const begin = async () => (await send<{ id: string }>('POST', '/replays', body)).id;
  return <Asked key={JSON.stringify(body)} begin={begin} isGuard={isGuard} />;
}

function Asked({ begin, isGuard }: { begin: () => Promise<string>; isGuard: boolean }) {
  const { found, error, busy, run, cancel } = useReplay(begin);
  const { done = 0, of = 0, differ = 0 } = found ?? {};
  return (
    <section class="above below" aria-label="The last week">
      {isGuard && !busy && !found && <p>This changes who gets in: ask who it would shut out.</p>}
      <div class="row">
        {/* One button, which keeps the focus; a double click does not cancel what it has begun. */}
        <button type="button" onClick={({ detail }) => (busy ? detail < 2 && cancel() : run())}>
          {busy ? 'Cancel' : 'Ask the last week'}
        </button>
        {busy && (
          <label class="line small muted numeric">
            <progress {...(of > 0 && { max: of, value: done })} />
            {of === 0
              ? 'Choosing requests …'
              : `${exact(done)} of ${exact(of)}${differ > 0 ? `, ${exact(differ)} differ` : ''}`}
          </label>
        )}
      </div>
      {!busy && !found && (
        <p class="field-help">
          Sends the requests of the last {DAYS} days to two test Caddys; your services notice
          nothing.
        </p>
      )}
      {error !== null && <RefusedNotice error={error} />}
      <div role="status">{!busy && found && <Findings of={found} />}</div>
    </section>
  );
}

function Findings({ of }: { of: ReplayView }) {
  const { state, same, differ, groups, leftOut, detail } = of;
  const isSame = same > 0 && differ === 0;
  const words = headlineOf(of, DAYS);
  return (
    <>
      {state === 'failed' && (
        <Notice kind="error" title="The last week could not be asked">
          {detail}
        </Notice>
      )}
      {(state === 'done' || differ > 0) && (
        <p class={`line baseline strong above${isSame ? ' good' : ''}`}>
          {same + differ > 0 && <Lamp isBad={groups.some(shutsOut)} isGood={isSame} />}
          {words.charAt(0).toUpperCase() + words.slice(1)}.
        </p>
      )}
      <Groups of={groups.slice(0, FIRST)} />
      {groups.length > FIRST && (
        <details>
          <summary>{plural(groups.length - FIRST, 'more difference')}</summary>
          <Groups of={groups.slice(FIRST)} />
        </details>
      )}
      {leftOut.length > 0 && (
        <details class="small muted" open={same + differ === 0}>
          <summary>Left out</summary>
          <ul>
            {leftOut.map(({ reason, count }) => (
              <li key={reason}>
                {reason}
                {count > 0 && `: ${plural(count, 'request')}`}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

const Groups = ({ of }: { of: readonly Group[] }) => (
  <ul class="lines plain">
    {of.map((group, at) => (
      <li key={at}>
        <details>
          <summary>
            <Lamp isBad={shutsOut(group)} /> <strong class="mono">{siteOf(group.domain)}</strong>
            {group.agent !== undefined && ` on ${group.agent}`}: {countsOf(group)}{' '}
            {outcomeOf(group)}
          </summary>
          <ul class="plain tiny">
            {group.examples.map(({ ip, method, path, timestamp }, at) => (
              <li key={at}>
                <span class="mono">
                  {ip} {method} {path}
                </span>{' '}
                <span class="muted">
                  <ClockTime at={timestamp} />
                </span>
              </li>
            ))}
          </ul>
        </details>
      </li>
    ))}
  </ul>
);

/** Red where visitors are shut out. */
const Lamp = ({ isBad, isGood = false }: { isBad: boolean; isGood?: boolean }) => (
  <span class={`lamp${isGood ? '' : isBad ? ' lamp-bad' : ' lamp-warn'}`} aria-hidden="true" />
);

const refuses = ({ status, noSite }: Group['after']): boolean =>
  status === null || status >= 400 || noSite === true;

/** Whether visitors get an error who got none, or no longer reach the upstream, and are not led elsewhere. */
export const shutsOut = ({ before, after }: Pick<Group, 'before' | 'after'>): boolean =>
  !refuses(before) &&
  (refuses(after) || (before.to !== null && after.to === null && after.location === null));

const exact = (value: number): string => value.toLocaleString('en');
