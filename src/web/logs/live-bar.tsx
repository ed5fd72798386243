/** Turns the live log on and off, and holds it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { plural } from '../lib/format.ts';
import type { Tail } from './use-tail.ts';

type Props = {
  isLive: boolean;
  isPaused: boolean;
  tail: Tail;
  onLive: (isLive: boolean) => void;
  onPause: (isPaused: boolean) => void;
  /** Shows what was held back. */
  onShow: () => void;
};

export function LiveBar({ isLive, isPaused, tail, onLive, onPause, onShow }: Props) {
  const { unseen } = tail.rows;
  return (
    <div class="log-live">
      <button type="button" aria-pressed={isLive} onClick={() => onLive(!isLive)}>
        <span class={isLive ? 'live-sign on' : 'live-sign'} aria-hidden="true" />
        Live
      </button>
      {isLive && (
        <>
          <button type="button" aria-pressed={isPaused} onClick={() => onPause(!isPaused)}>
            {isPaused ? 'Go on' : 'Pause'}
          </button>
          {unseen > 0 && (
            <button type="button" class="primary log-new" onClick={onShow}>
              {unseen.toLocaleString('en')} new
            </button>
          )}
          <span class="muted">{SAID[tail.state]}</span>
        </>
      )}
      <Summary tail={tail} isLive={isLive} />
    </div>
  );
}

const SAID: Readonly<Record<Tail['state'], string>> = {
  off: '',
  connecting: 'Connecting …',
  open: '',
  broken: 'The stream broke off. Connecting again …',
};

const SUMMARY_MS = 10_000;

/** For those who hear the page: now and then how many came, not each of them. */
function Summary({ tail: { rows }, isLive }: { tail: Tail; isLive: boolean }) {
  const [text, setText] = useState('');
  const newest = Math.max(rows.shown[0]?.id ?? -1, rows.waiting[0]?.id ?? -1) + 1;
  const seen = useRef(newest);
  seen.current = newest;
  useEffect(() => {
    if (!isLive) return setText('');
    setText('Live. New requests appear on top of the table.');
    let told = 0;
    const timer = setInterval(() => {
      const more = seen.current - told;
      told = seen.current;
      if (more > 0) setText(`${plural(more, 'new request')}.`);
    }, SUMMARY_MS);
    return () => clearInterval(timer);
  }, [isLive]);
  return (
    <span class="visually-hidden" role="status">
      {text}
    </span>
  );
}
