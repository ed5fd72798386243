/** A slider over the changes: what was live at a moment, what has changed since, and the way back. */
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { merged } from '../../../web/changelog/describe.ts';
import type { RequestsSection } from '../../../web/feature.ts';
import { get, sentenceOf } from '../../../web/lib/api.ts';
import { useHub, usePublishes } from '../../../web/lib/hub.ts';
import { useCan } from '../../../web/lib/roles.ts';
import type { Group, Vhost } from '../../../web/lib/types.ts';
import { useSubmit } from '../../../web/lib/use-form.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import { Notice } from '../../../web/parts/notice.tsx';
import { DoneNote } from '../../../web/sites/list/selection-bar.tsx';
import { positionsOf } from './positions.ts';
import { Since } from './since.tsx';
import { States } from './states.tsx';

/** Of everything, on the overview. */
export const Moments = () => <Slider />;

/** The same where the page leaves no space between its parts. */
export const LogMoments = () => <Slider class="below" />;

export const SiteMoments: RequestsSection = ({ site, onChanged }) => (
  <Slider site={site} onChanged={onChanged} />
);

type Props = {
  class?: string;
  /** The only one that it is about. */
  site?: Vhost;
  /** Called after that was changed, waits until it is loaded. */
  onChanged?: () => Promise<unknown>;
};

/** Groups per page of the API. */
const PAGE = 100;
/** For so long, what loads above the slider may push it down. */
const LOADS_MS = 2_000;
/** More would be a solid line. */
const MOST_MARKS = 200;

function Slider({ site, onChanged, ...more }: Props) {
  const { refresh } = useHub();
  const canEdit = useCan('editor');
  const asked = site ? askedFor() : null;
  const { groups, error, older } = useGroups(site?.domain);
  const positions = useMemo(() => positionsOf(groups, asked), [groups, asked]);
  const [chosen, setChosen] = useState('now');
  const [done, setDone] = useState<{ words: string; group: number | null } | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const [title, marks] = [useId(), useId()];
  const isShown = positions.length > 1;
  // A link of the log leads here.
  useEffect(() => {
    if (asked === null || !isShown) return;
    setChosen(asked);
    input.current?.focus();
    const observer = new ResizeObserver(() => input.current?.scrollIntoView({ block: 'center' }));
    observer.observe(document.body);
    const timer = setTimeout(() => observer.disconnect(), LOADS_MS);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [asked, isShown]);
  const changed = async () => {
    setChosen('now');
    await onChanged?.();
    refresh();
  };
  if (error) return <Notice kind="error" title={error} />;
  if (!isShown) return null;
  const at = positions.findIndex(({ key }) => key === chosen);
  const { at: time = null, words = '' } = positions.at(at) ?? {};
  return (
    <section class={`card tight stack ${more.class ?? ''}`} aria-labelledby={title}>
      <div>
        <div class="row small">
          <h2 id={title}>What was live</h2>
          <input
            ref={input}
            type="range"
            class="grow"
            aria-labelledby={title}
            aria-valuetext={words}
            list={marks}
            max={positions.length - 1}
            value={at < 0 ? positions.length - 1 : at}
            onInput={({ currentTarget }) => {
              setChosen(positions[currentTarget.valueAsNumber]?.key ?? 'now');
            }}
          />
          <output class="moment-words muted numeric">{words}</output>
          {older && (
            <button type="button" class="link" disabled={older.busy} onClick={older.run}>
              Older changes
            </button>
          )}
        </div>
        {older?.error && <p class="field-error">{older.error}</p>}
        <datalist id={marks}>
          {positions.length <= MOST_MARKS &&
            positions.map(({ key }, place) => <option key={key} value={place} />)}
        </datalist>
        <DoneNote key={done?.group} done={done} onUndone={changed} onClose={() => setDone(null)} />
      </div>
      {time !== null && !canEdit && <States at={time} site={site} />}
      {time !== null && canEdit && (
        <Since
          at={time}
          site={site}
          onDone={async (next) => {
            setDone(next);
            await changed();
          }}
        />
      )}
    </section>
  );
}

/** The time in the page's address; null without one. */
function askedFor(): string | null {
  const at = new URLSearchParams(location.search).get('at');
  return at === null || Number.isNaN(Date.parse(at)) ? null : at;
}

/** The changes, newest first, and what loads older ones if there may be any. @param domain of the only site */
function useGroups(domain?: string) {
  const query = `grouped=true${domain === undefined ? '' : `&domain=${encodeURIComponent(domain)}`}`;
  const page = (more = '', signal?: AbortSignal) =>
    get<Group[]>(`/changelog?${query}${more}`, signal);
  const newest = useLoad(`${query} ${usePublishes()}`, (signal) => page('', signal));
  const [rest, setRest] = useState<readonly Group[]>([]);
  const [isWhole, setWhole] = useState(false);
  const groups = useMemo(() => merged(newest.data ?? [], rest), [newest.data, rest]);
  const { busy, error, run } = useSubmit(async () => {
    const more = await page(`&before=${groups.at(-1)?.group}`);
    setWhole(more.length < PAGE);
    setRest([...groups, ...more]);
  });
  const older = { busy, error: error === null ? null : sentenceOf(error), run: () => run() };
  return {
    groups,
    error: newest.error,
    older: groups.length < PAGE || isWhole ? null : older,
  };
}
