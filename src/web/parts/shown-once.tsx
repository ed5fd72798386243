/** Shows a secret that the hub has just made, once. */
import type { ComponentChildren } from 'preact';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';

type Props = {
  title: string;
  /** What it is called on the button that copies it. */
  name: string;
  secret: string;
  /** A command that uses it. */
  example?: string;
  onClose: () => void;
  /** What it is for. */
  children: ComponentChildren;
};

export function ShownOnce({ title, name, secret, example, onClose, children }: Props) {
  const copy = <CopyButton text={secret} label={`Copy ${name}`} />;
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      <p class="secret">
        <code>{secret}</code>
      </p>
      {example !== undefined && (
        <>
          <div class="actions start">{copy}</div>
          <h3>Try it</h3>
          <pre class="code wrap">{example}</pre>
        </>
      )}
      <div class="actions">
        {example === undefined ? copy : <CopyButton text={example} label="Copy command" />}
        <button type="button" class="primary" onClick={onClose}>
          I have copied it
        </button>
      </div>
    </Dialog>
  );
}
