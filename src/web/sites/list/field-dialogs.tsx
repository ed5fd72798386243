/** Sets one field of all selected sites: which proxies serve them, or their check. */
import { useState } from 'preact/hooks';
import { useProxyNames } from '../../lib/hub.ts';
import { relabel } from '../../lib/relabel.ts';
import type { Check } from '../../lib/types.ts';
import { BulkForm, type BulkProps } from '../../placement/bulk-form.tsx';
import { CheckField } from '../form/check-field.tsx';
import { PlacementField } from '../form/fields.tsx';

export function ProxiesDialog(props: BulkProps) {
  const [agents, setAgents] = useState(props.sites[0]?.agents ?? []);
  return (
    <BulkForm {...props} subject="Proxies" change={(ids) => relabel(ids, () => ({ agents }))}>
      <PlacementField proxies={useProxyNames()} chosen={agents} error={null} onChange={setAgents} />
    </BulkForm>
  );
}

export function CheckDialog(props: BulkProps) {
  const [check, setCheck] = useState<Check | null>(
    props.sites.find((site) => site.check !== null)?.check ?? { path: '/' },
  );
  return (
    <BulkForm {...props} subject="Check" change={(ids) => relabel(ids, () => ({ check }))}>
      <CheckField check={check} error={null} onChange={setCheck} />
    </BulkForm>
  );
}
