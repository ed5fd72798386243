/** Lets the user drop a file or choose one with a button. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { sentenceOf } from '../lib/api.ts';
import { useSubmit } from '../lib/use-form.ts';

type Props = {
  label: string;
  /** As the `accept` attribute of an input, such as `.json`; any file by default. */
  accept?: string;
  /** May throw a sentence, which is shown. */
  onFile: (file: File) => Promise<void>;
  children?: ComponentChildren;
};

export function DropArea({ label, accept, onFile, children }: Props) {
  const [over, setOver] = useState(false);
  const id = useId();
  const { error, run: read } = useSubmit(async (file: File | undefined) => {
    if (file) await onFile(file);
  });
  const onDragOver = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  };
  const onDrop = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    setOver(false);
    void read(event.dataTransfer.files[0]);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keyboard users have the file input inside
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
      <p class="drop-line row">
        <label class="button" for={id}>
          {label}
          <input
            id={id}
            type="file"
            class="visually-hidden"
            {...(accept ? { accept } : {})}
            onChange={(event) => {
              void read(event.currentTarget.files?.[0]);
              event.currentTarget.value = '';
            }}
          />
        </label>
        <span class="muted">{over ? 'Drop the file to load it' : 'or drop it here'}</span>
      </p>
      {error !== null && (
        <p class="field-error" role="alert">
          {sentenceOf(error)}
        </p>
      )}
    </div>
  );
}

/** The content. @throws Error with a sentence, if the file has more than so many MiB */
export function readFile(file: File, limit: number): Promise<ArrayBuffer> {
  if (file.size <= limit * 1024 * 1024) return file.arrayBuffer();
  throw new Error(`${file.name} is larger than the limit of ${limit} MiB.`);
}

/** The hub's limit for an import or a restore. */
const MAX_MIB = 16;

/** @throws Error with a sentence, if the file is too large or not UTF-8 */
export async function readTextFile(file: File): Promise<string> {
  const bytes = await readFile(file, MAX_MIB);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file.name} is not a UTF-8 text file.`);
  }
}
