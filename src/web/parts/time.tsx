/** A time as `5 minutes ago`; hovering shows it in full. */
import { useEffect, useState } from 'preact/hooks';
import { ago, clockTime, localTime } from '../lib/format.ts';

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

/** A time as `2026-11-21 14:32`; hovering shows it in full. */
export function ClockTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={localTime(at)}>
      {clockTime(at)}
    </time>
  );
}
