/** A button that copies a text and confirms it. */
import { useEffect, useState } from 'preact/hooks';

const CONFIRM_MS = 2_000;

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [said, setSaid] = useState<'' | 'Copied' | 'Press Ctrl+C'>('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), CONFIRM_MS);
    return () => clearTimeout(timer);
  }, [said]);
  // Browsers offer the clipboard only over HTTPS and on loopback.
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
