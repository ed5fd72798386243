/** The live state of one site or of all, and the requests of the last hour. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, poll } from '../lib/api.ts';
import { useAnswers, useHub } from '../lib/hub.ts';
import type { Activity, SiteState, Status, VhostActivity } from '../lib/types.ts';
import { type Loaded, useEvery, useLoad } from '../lib/use-load.ts';

type States = {
  /** Empty while agent or proxy cannot be asked. */
  states: ReadonlyMap<number, SiteState>;
  /** Only sites with requests. */
  activity: ReadonlyMap<number, Activity>;
  /** The same, as the hub says it; null if it does not, undefined until it has. */
  hour: VhostActivity | null | undefined;
  /** The proxies whose requests are not among them. */
  missing: readonly string[];
};

const EVERY_MS = 60_000;
const NONE: States = { states: new Map(), activity: new Map(), hour: undefined, missing: [] };
const byId = <T extends { id: number }>(all: readonly T[]) =>
  new Map(all.map((one) => [one.id, one]));

/** Both by the site's id. @param publishes loads at once when it changes, as when hub and agent answer again */
export function useStates(publishes: number): States {
  const [states, setStates] = useState(NONE);
  const { status, agents } = useHub();
  const answers = useAnswers();
  // Of several proxies, one is enough.
  const isDown =
    agents.length > 1
      ? agents.every(({ proxy }) => !proxy.running)
      : status?.proxy.running === false;
  const isKnown = answers && !isDown;
  const news = useNews(status);
  const etag = useRef<string>(undefined);
  useEffect(() => {
    if (!answers) return;
    const own = new AbortController();
    // Failures are ignored: the list works without this, and the bell reports a missing agent.
    const load = () => {
      poll<SiteState[]>('/vhosts/state', etag.current, own.signal).then(
        (answer) => {
          if (!answer.body) return;
          const next = byId(answer.body);
          etag.current = answer.etag;
          setStates((old) => ({ ...old, states: next }));
        },
        () => {},
      );
      get<VhostActivity>('/vhosts/activity', own.signal).then(
        (hour) =>
          setStates((old) => ({
            ...old,
            hour,
            missing: hour.missing ?? [],
            activity: byId(hour.vhosts),
          })),
        () => setStates((old) => ({ ...old, hour: old.hour ?? null })),
      );
    };
    load();
    const timer = setInterval(() => {
      if (!document.hidden) load();
    }, EVERY_MS);
    return () => {
      own.abort();
      clearInterval(timer);
    };
  }, [publishes, answers, news]);
  return isKnown ? states : { ...states, states: NONE.states };
}

/** How often proxies came, went or were done with checking sites, since that was first known. */
function useNews(status: Status | null): number {
  const seen = useRef<{ words: string; count: number }>(undefined);
  if (status) {
    const standings = status.agents.map(({ state, proxy }) => `${state} ${proxy.running}`);
    const words = [...standings, status.checking > 0].join();
    const { words: before = words, count = 0 } = seen.current ?? {};
    seen.current = { words, count: words === before ? count : count + 1 };
  }
  return seen.current?.count ?? 0;
}

const ONE_EVERY_MS = 15_000;

/** The live state of a site, loaded again after each publish and now and then. */
export function useSiteState(id: number): Loaded<SiteState> {
  const { status } = useHub();
  const state = useLoad(`state ${id}`, (signal) => get<SiteState>(`/vhosts/${id}/state`, signal));
  const { reload } = state;
  useEvery(ONE_EVERY_MS, reload);
  const published = status ? (status.lastPublish?.at ?? '') : undefined;
  const seen = useRef(published);
  useEffect(() => {
    // The first status says nothing new: the state was loaded at the same time.
    if (seen.current !== undefined && seen.current !== published) void reload();
    seen.current = published;
  }, [published, reload]);
  return state;
}
