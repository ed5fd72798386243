/** Asks users to prove again who they are: with the password, unless the dialog of a feature takes more. */
import { PROVE_DIALOGS } from '../account-features.ts';
import type { ProveDialog as Dialog } from '../feature.ts';
import { send } from '../lib/api.ts';
import { PASSWORD_ALONE, Username } from '../parts/field-of.tsx';
import { FormDialog } from '../parts/form-of.tsx';

type Props = {
  /** Called with whether they have. */
  onDone: (isProved: boolean) => void;
};

export function ProveDialog({ onDone }: Props) {
  const [Dialog = ByPassword] = PROVE_DIALOGS;
  return (
    <Dialog title="Prove who you are" onDone={onDone}>
      This changes who may do what, and you last proved who you are more than an hour ago. What you
      were doing continues after this.
    </Dialog>
  );
}

const ByPassword: Dialog = ({ title, onDone, children }) => (
  <FormDialog
    title={title}
    fields={PASSWORD_ALONE}
    action={['Continue']}
    onSubmit={async (given) => {
      await send('POST', '/auth/prove', given);
      onDone(true);
    }}
    onClose={() => onDone(false)}
  >
    <p>{children}</p>
    <Username />
  </FormDialog>
);
