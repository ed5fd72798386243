/** The dialog for what is added to a site. */
import { Dialog } from '../parts/dialog.tsx';
import { Notice } from '../parts/notice.tsx';
import { SkeletonRows } from '../parts/skeleton-rows.tsx';
import type { Recipe } from '../recipes/recipes.ts';
import { AdditionForm } from './addition-form.tsx';
import { ADDITIONS, type AdditionId, additionOf } from './additions.ts';

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
export function AdditionDialog({ id, recipes, config, upstream, onInsert, onClose }: Props) {
  const addition = additionOf(id, recipes ?? []);
  const asksAddress = addition?.fields.properties?.address !== undefined;
  return (
    <Dialog title={ADDITIONS[id]} onClose={onClose}>
      {!addition && !recipes && <SkeletonRows rows={3} label="Loading" />}
      {addition?.lacking && <Notice kind="warning" title={addition.lacking} />}
      {addition?.lacking === null && (
        <AdditionForm
          addition={addition}
          start={asksAddress && upstream !== '' ? { address: upstream } : {}}
          config={config}
          onInsert={onInsert}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

const IDS = Object.keys(ADDITIONS) as AdditionId[];

/** The buttons for what people often add to a site. */
export const AdditionButtons = ({ onChoose }: { onChoose: (id: AdditionId) => void }) => (
  <fieldset class="choices">
    <legend>Add to this site</legend>
    <div class="buttons">
      {IDS.map((id) => (
        <button key={id} type="button" onClick={() => onChoose(id)}>
          {ADDITIONS[id]}
        </button>
      ))}
    </div>
  </fieldset>
);
