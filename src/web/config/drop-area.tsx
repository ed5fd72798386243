/** A place that takes a file: dropped, or chosen with the button. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { sentenceOf } from '../lib/api.ts';
import { readTextFile } from './read-file.ts';

type Props = {
  /** What the button says. */
  label: string;
  /** As of an input: `.json`; any where it is missing. */
  accept?: string;
  onText: (text: string, name: string) => void;
  children?: ComponentChildren;
};

export function DropArea({ label, accept, onText, children }: Props) {
  const [over, setOver] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const id = useId();

  const take = async (file: File | undefined) => {
    if (!file) return;
    setError(null);
    try {
      onText(await readTextFile(file), file.name);
    } catch (reason) {
      setError(sentenceOf(reason));
    }
  };
  const onDragOver = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  };
  const onDrop = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the file input inside does it by keyboard
    <div
      class={over ? 'drop-area drop-over' : 'drop-area'}
      onDragOver={onDragOver}
      onDragLeave={(event) => {
        const to = event.relatedTarget;
        if (!(to instanceof Node) || !event.currentTarget.contains(to)) setOver(false);
      }}
      onDrop={onDrop}
    >
      {children}
      <p class="drop-line">
        <label class="button" for={id}>
          {label}
          <input
            id={id}
            type="file"
            class="visually-hidden"
            {...(accept ? { accept } : {})}
            onChange={(event) => {
              void take(event.currentTarget.files?.[0]);
              event.currentTarget.value = '';
            }}
          />
        </label>
        <span class="muted">{over ? 'Let go to take the file' : 'or drop it here'}</span>
      </p>
      {error && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
