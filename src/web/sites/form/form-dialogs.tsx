/** What opens above the form of a site: a new policy, an addition to its config, or whether to delete it. */
import { AdditionDialog } from '../../additions/addition-dialog.tsx';
import type { AdditionId } from '../../additions/additions.ts';
import type { Policy } from '../../lib/types.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { withPolicy } from '../../placement/words.ts';
import type { Recipe } from '../../recipes/recipes.ts';
import type { Draft } from './draft.ts';
import { PolicyDialog } from './policy-dialog.tsx';

export type OpenDialog = { delete: string } | { policy: string | null } | { add: AdditionId };

type Props = {
  open: OpenDialog;
  draft: Draft;
  policies: readonly Policy[];
  recipes: readonly Recipe[] | undefined;
  /** Called with a policy that was made. */
  onPolicy: (policy: Policy) => void;
  onChange: (change: Partial<Draft>) => void;
  onDelete: () => Promise<void>;
  onClose: () => void;
};

export function FormDialogs({ open, draft, policies, recipes, onClose, ...on }: Props) {
  if ('policy' in open) {
    return (
      <PolicyDialog
        wanted={open.policy}
        recipes={recipes}
        taken={policies.map(({ name }) => name)}
        onMade={(policy) => {
          on.onPolicy(policy);
          on.onChange({ policies: withPolicy(draft.policies, policy.name, policy.recipe) });
          onClose();
        }}
        onClose={onClose}
      />
    );
  }
  if ('add' in open) {
    return (
      <AdditionDialog
        id={open.add}
        recipes={recipes}
        config={draft.config}
        upstream={draft.upstream}
        onInsert={(config) => {
          on.onChange({ config });
          onClose();
        }}
        onClose={onClose}
      />
    );
  }
  return <DeleteSite domain={open.delete} onConfirm={on.onDelete} onClose={onClose} />;
}

type DeleteSiteProps = { domain: string; onConfirm: () => Promise<void>; onClose: () => void };

/** Asks before a site is deleted. */
const DeleteSite = ({ domain, onConfirm, onClose }: DeleteSiteProps) => (
  <Confirm
    title={`Delete ${domain}?`}
    action="Delete site"
    name={domain}
    onConfirm={onConfirm}
    onClose={onClose}
  >
    <p>Caddy stops serving it at once. You can restore it from the changelog.</p>
  </Confirm>
);
