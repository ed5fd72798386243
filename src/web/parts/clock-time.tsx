/** A time as `14:32, 21 Nov`; hovering shows it in full. */
import { clockTime, localTime } from '../lib/format.ts';

export function ClockTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={localTime(at)}>
      {clockTime(at, new Date())}
    </time>
  );
}
