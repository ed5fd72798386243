/** What is checked of a channel besides its target. Pure. */
import type { QuietHours } from '../../shared/events.ts';
import { Failure } from '../../shared/failure.ts';
import type { ChannelKind } from './kinds/kinds.ts';

/** @throws Failure INVALID_REQUEST */
export function assertKind(stored: ChannelKind, given: ChannelKind | undefined): void {
  if (given === undefined || given === stored) return;
  throw invalid('kind', 'The kind of a channel cannot be changed: create another one.');
}

const MAX_NAME = 60;

/** @throws Failure INVALID_REQUEST */
export function checkedName(text: string): string {
  const name = text.trim();
  // The name becomes part of messages.
  if (name !== '' && name.length <= MAX_NAME && !/\p{Cc}/u.test(name)) return name;
  throw invalid('name', `A channel has a name of 1 to ${MAX_NAME} characters, on one line.`);
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/** @throws Failure INVALID_REQUEST, at `quiet.timeZone` and the like */
export function checkedQuiet(quiet: QuietHours | null): QuietHours | null {
  if (quiet === null) return null;
  const { from, to, timeZone } = quiet;
  for (const [field, time] of Object.entries({ from, to })) {
    if (!TIME.test(time)) throw invalid(`quiet.${field}`, 'It must be a time such as 22:00.');
  }
  if (from === to) throw invalid('quiet.to', 'Start and end must differ.');
  if (!isTimeZone(timeZone)) {
    throw invalid('quiet.timeZone', 'It must be a time zone such as Europe/Berlin.');
  }
  return { from, to, timeZone };
}

function isTimeZone(name: string): boolean {
  // `Intl` takes offsets such as +02:00 too, which know no summer time.
  if (!/^[a-z]/i.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const invalid = (field: string, message: string) =>
  new Failure('INVALID_REQUEST', message, { at: { field } });
