/** The live log: rows as they arrive, held back while paused; no stream while the page is hidden. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { LogEntry } from '../lib/types.ts';
import { arrive, NO_ROWS, release, type TailRow, type TailRows } from './tail-rows.ts';

export type Tail = {
  rows: TailRows;
  state: 'off' | 'connecting' | 'open' | 'broken';
  showNew: () => void;
};

/** Milliseconds between two draws, about as fast as the eye can follow. */
const DRAW_EVERY_MS = 125;
/** Events kept for the next draw, which a hidden page delays. */
const PENDING = 5_000;

type Options = {
  isOn: boolean;
  /** New rows wait instead of appearing. */
  isHeld: boolean;
  /** A new key opens a new stream. */
  key: string;
  addressFrom: (after: string) => string;
  /** Called when the stream is open: earlier requests have to be loaded as a page. */
  onBegin: () => void;
};

export function useTail(options: Options): Tail {
  const { isOn, isHeld, key } = options;
  const [rows, setRows] = useState<TailRows>(NO_ROWS);
  const [state, setState] = useState<Tail['state']>('off');
  const latest = useRef(options);
  latest.current = options;

  const showNew = useCallback(() => setRows(release), []);

  useEffect(() => {
    if (!isHeld) showNew();
  }, [isHeld, showNew]);

  useEffect(() => {
    if (!isOn) return;
    let stream: TailStream | undefined;
    let after = '';
    let hasBegun = false;
    let ids = 0;
    let arrived: TailRow[] = [];
    let frame = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let drawn = 0;

    // All that arrive in between are drawn together.
    const flush = () => {
      frame = 0;
      drawn = performance.now();
      const batch = arrived;
      arrived = [];
      setRows((old) => arrive(old, batch, latest.current.isHeld));
    };
    const plan = () => {
      const wait = drawn + DRAW_EVERY_MS - performance.now();
      clearTimeout(timer);
      if (wait > 0) timer = setTimeout(plan, wait);
      else frame = requestAnimationFrame(flush);
    };
    const open = () => {
      setState('connecting');
      stream = openTail(latest.current.addressFrom, after, {
        onState(next) {
          setState(next);
          if (next !== 'open' || (hasBegun && after !== '')) return;
          hasBegun = true;
          latest.current.onBegin();
        },
        onEvent(event) {
          arrived.push({ id: ids++, ...event });
          if (arrived.length > PENDING) flush();
          if (frame === 0) plan();
        },
      });
    };
    const close = () => {
      after = stream?.close() ?? after;
      stream = undefined;
    };
    const follow = () => {
      if (document.hidden) close();
      else if (!stream) open();
    };
    document.addEventListener('visibilitychange', follow);
    follow();
    return () => {
      document.removeEventListener('visibilitychange', follow);
      close();
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      setRows(NO_ROWS);
      setState('off');
    };
  }, [isOn, key]);

  return { rows, state, showNew };
}

type TailEvent = { entry: LogEntry } | { missed: number | null };

type Handlers = {
  onEvent: (event: TailEvent) => void;
  onState: (state: 'open' | 'broken') => void;
};

type TailStream = {
  /** Closes the stream. @returns the id of the last event, '' if none arrived */
  close: () => string;
};

/** Browsers give up when the hub answers with an error, so we reconnect ourselves. */
const RETRY_MS = 2_000;

/** @param addressFrom the stream's address from after an event's id, '' for from now on */
function openTail(
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
