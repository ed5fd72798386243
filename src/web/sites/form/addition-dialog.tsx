/** The dialog for what is added to a site: the choice, then its form. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../lib/api.ts';
import { useAsked } from '../../lib/use-asked.ts';
import { submitWith, useSubmit } from '../../lib/use-form.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Dialog, FormActions } from '../../parts/dialog.tsx';
import { SkeletonRows } from '../../parts/loading.tsx';
import { Notice, RefusedNotice } from '../../parts/notice.tsx';
import { RecipeForm } from '../../recipes/recipe-form.tsx';
import { type Fault, isFilled, type Recipe, type Values } from '../../recipes/schema.ts';
import {
  ADDITIONS,
  type Addition,
  type AdditionId,
  additionOf,
  insert,
  withField,
} from './additions.ts';

type Props = {
  id: AdditionId;
  /** Undefined until they are loaded. */
  recipes: readonly Recipe[] | undefined;
  config: string;
  /** Of the site; a form that asks for one address begins with it. */
  upstream: string;
  /** Called with the new config. */
  onInsert: (config: string) => void;
  onClose: () => void;
};

/** Must not be inside a `<form>`, because of its own. */
export function AdditionDialog(props: Props) {
  const { id, recipes } = props;
  const addition = additionOf(id, recipes ?? []);
  return (
    <Dialog title={ADDITIONS[id]} onClose={props.onClose}>
      {!addition && !recipes && <SkeletonRows rows={3} label="Loading" />}
      {addition?.lacking && <Notice kind="warning" title={addition.lacking} />}
      {addition?.lacking === null && <AdditionForm {...props} addition={addition} />}
    </Dialog>
  );
}

const IDS = Object.keys(ADDITIONS) as AdditionId[];

/** The buttons for what people often add to a site. */
export const AdditionButtons = ({ onChoose }: { onChoose: (id: AdditionId) => void }) => (
  <fieldset class="choices">
    <legend>Add to this site</legend>
    <div class="buttons row">
      {IDS.map((id) => (
        <button key={id} type="button" onClick={() => onChoose(id)}>
          {ADDITIONS[id]}
        </button>
      ))}
    </div>
  </fieldset>
);

/** About as long as a pause between two words. */
const PAUSE_MS = 300;

type FormProps = Omit<Props, 'id' | 'recipes'> & { addition: Addition };

/** Asks what an addition needs to know, and shows the text that it becomes before it is inserted. */
function AdditionForm({ addition, config, upstream, onInsert, onClose }: FormProps) {
  const asksAddress = addition.fields.properties?.address !== undefined;
  const [values, setValues] = useState<Values>(
    asksAddress && upstream !== '' ? { address: bareOf(upstream) } : {},
  );
  const write: Addition['write'] = async (...given) =>
    withField(await addition.write(...given), upstream);

  const about = isFilled(addition.fields, values) ? JSON.stringify(values) : null;
  const text = useAsked(about, (signal) => write(values, signal), PAUSE_MS);
  const { busy, error, run, clear } = useSubmit(async () => {
    const written = await write(values);
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
      <FormActions action="Insert" disabled={busy} onClose={onClose} />
    </form>
  );
}

/** An address as recipes ask for it. */
const bareOf = (upstream: string): string => upstream.replace(/^https:\/\//i, '');

const faultOf = (error: unknown): Fault | null =>
  error instanceof ApiError && error.field !== null
    ? { field: error.field, message: error.message }
    : null;
