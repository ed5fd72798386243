/** Asks what an addition needs to know, and shows the text that it becomes before it is inserted. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../lib/api.ts';
import { submitWith, useSubmit } from '../lib/use-submit.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { RefusedNotice } from '../parts/refused-notice.tsx';
import { RecipeForm } from '../recipes/recipe-form.tsx';
import { type Fault, isFilled, type Values } from '../recipes/schema.ts';
import type { Addition } from './additions.ts';
import { insert } from './insert.ts';

/** About as long as a pause between two words. */
const PAUSE_MS = 300;

type Props = {
  addition: Addition;
  /** What the form begins with. */
  start: Values;
  config: string;
  onInsert: (config: string) => void;
  onClose: () => void;
};

export function AdditionForm({ addition, start, config, onInsert, onClose }: Props) {
  const [values, setValues] = useState(start);
  const [text, setText] = useState<string | null>(null);
  const isComplete = isFilled(addition.fields, values);
  const body = JSON.stringify(values);

  useEffect(() => {
    setText(null);
    if (!isComplete) return;
    const own = new AbortController();
    const timer = setTimeout(() => {
      // What is invalid is said when it is inserted.
      addition.write(JSON.parse(body), own.signal).then(setText, () => {});
    }, PAUSE_MS);
    return () => {
      own.abort();
      clearTimeout(timer);
    };
  }, [addition, body, isComplete]);

  const { busy, error, run, clear } = useSubmit(async () => {
    const written = await addition.write(values, new AbortController().signal);
    onInsert(insert(config, written).config);
  });
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input, textarea, .primary')?.focus();
  }, []);
  const fault = faultOf(error);
  const removed = text === null ? '' : insert(config, text).removed;
  return (
    <form ref={form} onSubmit={submitWith(() => run())}>
      <p class="muted">{addition.description}</p>
      <RecipeForm
        fields={addition.fields}
        values={values}
        fault={fault}
        onChange={(next) => {
          setValues(next);
          clear();
        }}
      />
      {error !== null && !fault && <RefusedNotice error={error} />}
      {text !== null && (
        <>
          <p class="muted">
            {removed === '' ? 'This is added to the config:' : 'This is added to the config …'}
          </p>
          <CodeBlock text={text} label="Added to the config" />
          {removed !== '' && (
            <>
              <p class="muted">… in place of:</p>
              <CodeBlock text={removed} label="Removed from the config" />
            </>
          )}
        </>
      )}
      <div class="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={busy}>
          Insert
        </button>
      </div>
    </form>
  );
}

const faultOf = (error: unknown): Fault | null =>
  error instanceof ApiError && error.field !== null
    ? { field: error.field, message: error.message }
    : null;
