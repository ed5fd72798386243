/** Copies a text, and says that it did. */
import { useEffect, useState } from 'preact/hooks';

const SAID_MS = 2_000;

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [said, setSaid] = useState<'' | 'Copied' | 'Press Ctrl+C'>('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  // The clipboard is closed to pages without HTTPS, but for loopback.
  const copy = () =>
    (navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('closed'))).then(
      () => setSaid('Copied'),
      () => setSaid(copyBySelection(text) ? 'Copied' : 'Press Ctrl+C'),
    );
  return (
    <>
      <button type="button" onClick={copy}>
        {said || label}
      </button>
      <span class="visually-hidden" role="status">
        {said}
      </span>
    </>
  );
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}
