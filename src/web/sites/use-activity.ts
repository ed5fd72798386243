/** Requests and errors of every site's last hour, asked again each minute. */
import { useEffect, useState } from 'preact/hooks';
import { get } from '../lib/api.ts';
import type { Activity } from './sparkline.tsx';

type Answer = { vhosts: ({ id: number } & Activity)[] };

const EVERY_MS = 60_000;

/** By the site's id; sites without requests are missing. */
export function useActivity(): ReadonlyMap<number, Activity> {
  const [activity, setActivity] = useState<ReadonlyMap<number, Activity>>(new Map());
  useEffect(() => {
    const own = new AbortController();
    const ask = () =>
      get<Answer>('/vhosts/activity', own.signal).then(
        ({ vhosts }) => setActivity(new Map(vhosts.map((one) => [one.id, one]))),
        // The list is whole without it, and the status bar tells of an agent that is away.
        () => {},
      );
    void ask();
    const timer = setInterval(() => {
      if (!document.hidden) void ask();
    }, EVERY_MS);
    return () => {
      own.abort();
      clearInterval(timer);
    };
  }, []);
  return activity;
}
