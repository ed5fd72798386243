/** What the proxy knows of all sites, and their last hour, asked again each minute. */
import { useEffect, useState } from 'preact/hooks';
import { get } from '../lib/api.ts';
import { useAnswers } from '../lib/hub.ts';
import type { Activity, SiteState } from '../lib/types.ts';

export type Known = {
  states: ReadonlyMap<number, SiteState>;
  /** Sites without requests are missing. */
  activity: ReadonlyMap<number, Activity>;
};

const EVERY_MS = 60_000;
const byId = <T extends { id: number }>(all: readonly T[]) =>
  new Map(all.map((one) => [one.id, one]));

/** By the site's id. @param published asks at once when it changes, and when hub and agent answer again */
export function useStates(published: string | undefined): Known {
  const [known, setKnown] = useState<Known>({ states: new Map(), activity: new Map() });
  const answers = useAnswers();
  useEffect(() => {
    if (!answers) return;
    const own = new AbortController();
    // The list is whole without them, and the status bar tells of an agent that is away.
    const ask = () => {
      get<SiteState[]>('/vhosts/state', own.signal).then(
        (states) => setKnown((old) => ({ ...old, states: byId(states) })),
        () => {},
      );
      get<{ vhosts: Activity[] }>('/vhosts/activity', own.signal).then(
        ({ vhosts }) => setKnown((old) => ({ ...old, activity: byId(vhosts) })),
        () => {},
      );
    };
    ask();
    const timer = setInterval(() => {
      if (!document.hidden) ask();
    }, EVERY_MS);
    return () => {
      own.abort();
      clearInterval(timer);
    };
  }, [published, answers]);
  return known;
}
