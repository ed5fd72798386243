/** A moment: how long ago, with the exact local time to hover and for machines. */
import { useEffect, useState } from 'preact/hooks';
import { ago, localTime } from '../lib/format.ts';

const MINUTE_MS = 60_000;

export function Time({ at }: { at: string }) {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={localTime(at)}>
      {ago(at, now)}
    </time>
  );
}
