/** Chooses which proxies serve the selected sites. */
import { useState } from 'preact/hooks';
import { plural } from '../../lib/format.ts';
import { useProxyNames } from '../../lib/hub.ts';
import { type Relabelled, relabel } from '../../lib/relabel.ts';
import type { Vhost } from '../../lib/types.ts';
import { submitWith, useSubmit } from '../../lib/use-form.ts';
import { FormActions } from '../../parts/dialog.tsx';
import { RefusedNotice } from '../../parts/notice.tsx';
import { PlacementField } from '../form/fields.tsx';

type Props = {
  sites: readonly Vhost[];
  onClose: () => void;
  onDone: (words: string, done: Relabelled) => Promise<void>;
};

export function ProxiesDialog({ sites, onClose, onDone }: Props) {
  const [chosen, setChosen] = useState(sites[0]?.agents ?? []);
  const { busy, error, run } = useSubmit(async () => {
    const ids = sites.map(({ id }) => id);
    const done = await relabel(ids, () => ({ agents: chosen }));
    await onDone(`Proxies of ${plural(done.count, 'site')} changed`, done);
  });
  return (
    <form onSubmit={submitWith(() => run())}>
      <PlacementField proxies={useProxyNames()} chosen={chosen} error={null} onChange={setChosen} />
      {error !== null && <RefusedNotice error={error} />}
      <FormActions
        action={busy ? 'Publishing …' : 'Save and publish'}
        disabled={busy}
        onClose={onClose}
      />
    </form>
  );
}
