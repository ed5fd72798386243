/** Text to read or to copy: Caddyfile text, a secret, a command. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { get, sentenceOf } from '../lib/api.ts';
import { useSubmit } from '../lib/use-form.ts';
import { Notice } from './notice.tsx';

export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <section class="code mono" aria-label={label} tabIndex={0}>
      {text}
    </section>
  );
}

type Props = {
  /** Of the API. */
  path: string;
  /** Other buttons, before these. */
  children?: ComponentChildren;
};

/** A Caddyfile that is shown on demand, with a button that copies it. */
export function CaddyfileShown({ path, children }: Props) {
  const [text, setText] = useState<string | null>(null);
  const { error, run: show } = useSubmit(async () => setText(await get<string>(path)));
  return (
    <>
      <div class="row above">
        {children}
        <button
          type="button"
          aria-expanded={text !== null}
          onClick={() => (text === null ? show() : setText(null))}
        >
          {text === null ? 'Show Caddyfile' : 'Hide Caddyfile'}
        </button>
        {text !== null && <CopyButton text={text} label="Copy Caddyfile" />}
      </div>
      {error !== null && <Notice kind="error">{sentenceOf(error)}</Notice>}
      {text !== null && <CodeBlock text={text} label="Caddyfile" />}
    </>
  );
}

const CONFIRM_MS = 2_000;

/** A button that copies a text and confirms it. */
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
