/** Gives the selected sites a check, or takes theirs away. */
import { useState } from 'preact/hooks';
import { plural } from '../../lib/format.ts';
import { type Relabelled, relabel } from '../../lib/relabel.ts';
import type { Check, Vhost } from '../../lib/types.ts';
import { submitWith, useSubmit } from '../../lib/use-form.ts';
import { FormActions } from '../../parts/dialog.tsx';
import { CheckField } from '../form/check-field.tsx';

type Props = {
  sites: readonly Vhost[];
  onClose: () => void;
  onDone: (words: string, done: Relabelled) => Promise<void>;
};

export function CheckDialog({ sites, onClose, onDone }: Props) {
  const [check, setCheck] = useState<Check | null>(
    sites.find((site) => site.check !== null)?.check ?? { path: '/' },
  );
  const { busy, error, run } = useSubmit(async () => {
    const ids = sites.map(({ id }) => id);
    const done = await relabel(ids, () => ({ check }));
    await onDone(`Check of ${plural(done.count, 'site')} changed`, done);
  });
  return (
    <form onSubmit={submitWith(() => run())}>
      <CheckField check={check} error={error} onChange={setCheck} />
      <FormActions
        action={busy ? 'Publishing …' : 'Save and publish'}
        disabled={busy}
        onClose={onClose}
      />
    </form>
  );
}
