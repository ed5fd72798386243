/** The form in a dialog that changes the selected sites, by one publish for all of them. */
import type { ComponentChildren } from 'preact';
import { plural } from '../lib/format.ts';
import type { Relabelled } from '../lib/relabel.ts';
import type { Vhost } from '../lib/types.ts';
import { submitWith, useSubmit } from '../lib/use-form.ts';
import { FormActions } from '../parts/dialog.tsx';
import { RefusedNotice } from '../parts/notice.tsx';

/** Of each dialog about the selected sites. */
export type BulkProps = {
  sites: readonly Vhost[];
  onClose: () => void;
  /** @param words what was done */
  onDone: (words: string, done: Relabelled) => Promise<void>;
};

type Props = BulkProps & {
  /** What is changed, such as `Tags`. */
  subject: string;
  /** The label of the button. */
  action?: string;
  /** Whether there is something to change. */
  isReady?: boolean;
  /** The form shows what it throws. */
  change: (ids: number[]) => Promise<Relabelled>;
  children: ComponentChildren;
};

export function BulkForm(props: Props) {
  const { sites, subject, action = 'Save and publish', isReady = true, change, children } = props;
  const { busy, error, run } = useSubmit(async () => {
    const done = await change(sites.map(({ id }) => id));
    await props.onDone(`${subject} of ${plural(done.count, 'site')} changed`, done);
  });
  return (
    <form onSubmit={submitWith(() => isReady && run())}>
      {children}
      {error !== null && <RefusedNotice error={error} />}
      <FormActions
        action={busy ? 'Publishing …' : action}
        disabled={!isReady || busy}
        onClose={props.onClose}
      />
    </form>
  );
}
