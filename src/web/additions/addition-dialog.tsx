/** The dialog for what is added to a site. */
import { Dialog } from '../parts/dialog.tsx';
import { Notice } from '../parts/notice.tsx';
import { SkeletonRows } from '../parts/skeleton-rows.tsx';
import { useRecipes } from '../recipes/recipes.ts';
import { AdditionForm } from './addition-form.tsx';
import { ADDITIONS, type AdditionId, additionOf } from './additions.ts';

type Props = {
  id: AdditionId;
  config: string;
  /** Of the site; a form that asks for one address begins with it. */
  upstream: string;
  /** Called with the new config. */
  onInsert: (config: string) => void;
  onClose: () => void;
};

/** Must not be inside a `<form>`, because of its own. */
export function AdditionDialog({ id, config, upstream, onInsert, onClose }: Props) {
  const recipes = useRecipes('site');
  const addition = additionOf(id, recipes.data ?? []);
  const asksAddress = addition?.fields.properties?.address !== undefined;
  return (
    <Dialog title={ADDITIONS[id]} onClose={onClose}>
      {recipes.error && <Notice kind="error" title={recipes.error} />}
      {!addition && recipes.loading && <SkeletonRows rows={3} label="Loading" />}
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
