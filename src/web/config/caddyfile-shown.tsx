/** A Caddyfile that is shown on demand, with a button that copies it. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { get, sentenceOf } from '../lib/api.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Notice } from '../parts/notice.tsx';

type Props = {
  /** Of the API. */
  path: string;
  /** Other buttons, before these. */
  children?: ComponentChildren;
};

export function CaddyfileShown({ path, children }: Props) {
  const [text, setText] = useState<string | null>(null);
  const { error, run: show } = useSubmit(async () => setText(await get<string>(path)));
  return (
    <>
      <div class="actions start">
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
