/** The stream of the live log; it reconnects until it is closed. */
import type { LogEntry } from '../lib/types.ts';

type TailEvent = { entry: LogEntry } | { missed: number | null };

type Handlers = {
  onEvent: (event: TailEvent) => void;
  onState: (state: 'open' | 'broken') => void;
};

export type TailStream = {
  /** Closes the stream. @returns the id of the last event, '' if none arrived */
  close: () => string;
};

/** Browsers give up when the hub answers with an error, so we reconnect ourselves. */
const RETRY_MS = 2_000;

/** @param addressFrom the stream's address from after an event's id, '' for from now on */
export function openTail(
  addressFrom: (after: string) => string,
  after: string,
  { onEvent, onState }: Handlers,
): TailStream {
  let last = after;
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const receive = (read: (data: unknown) => TailEvent) => (event: MessageEvent<string>) => {
    last = event.lastEventId;
    onEvent(read(JSON.parse(event.data)));
  };
  const onEntry = receive((data) => ({ entry: data as LogEntry }));
  const onGap = receive((data) => data as { missed: number | null });

  const connect = () => {
    source = new EventSource(addressFrom(last));
    source.addEventListener('open', () => onState('open'));
    source.addEventListener('entry', onEntry);
    source.addEventListener('gap', onGap);
    source.addEventListener('error', () => {
      onState('broken');
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(connect, RETRY_MS);
    });
  };
  connect();

  return {
    close() {
      clearTimeout(timer);
      source.close();
      return last;
    },
  };
}
