/** Blocks a client's address on a site, or on all. */
import { useState } from 'preact/hooks';
import { get, send } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import type { Policy, Session, Vhost } from '../lib/types.ts';
import { submitWith, useSubmit } from '../lib/use-form.ts';
import { again, useLoad } from '../lib/use-load.ts';
import { Closing, FormActions } from '../parts/dialog.tsx';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice, RefusedNotice } from '../parts/notice.tsx';
import { type BlockPlan, networksOf, planBlock, siteOf } from './block.ts';
import { changeOn, createOn } from './store.ts';

type Props = { address: string; host: string; onClose: () => void };

const load = async (signal: AbortSignal) => {
  const [sites, policies, sessions] = await Promise.all([
    get<Vhost[]>('/vhosts', signal),
    get<Policy[]>('/policies', signal),
    get<Session[]>('/sessions', signal),
  ]);
  return { sites, policies, own: sessions.find(({ current }) => current)?.ipAddress };
};

export function BlockDialog({ address, host, onClose }: Props) {
  const { refresh } = useHub();
  const loaded = useLoad('to block', load);
  const { data, error } = loaded;
  const [isEverywhere, setEverywhere] = useState(false);
  const [done, setDone] = useState<Blocked | null>(null);
  const site = data ? siteOf(host, data.sites) : null;
  const plan = data && planBlock(address, isEverywhere ? null : site, data.policies, data.sites);
  const block = useSubmit(async () => {
    if (!plan || plan.kind === 'done') return;
    setDone(await carryOut(plan, address).catch(again(loaded)));
    refresh();
  });
  if (error) return <Notice kind="error" title={error} />;
  if (!data || !plan) return <SkeletonRows rows={3} label="Loading" />;
  if (done) return <DoneNote address={address} done={done} onClose={onClose} />;
  if (data.sites.length === 0) return <Notice kind="info">There is no site to block it on.</Notice>;
  return (
    <form onSubmit={submitWith(() => block.run())}>
      {data.own === address && (
        <Notice kind="warning" title="This is your own address">
          This would block you too, including from signalbox if a site leads to it.
        </Notice>
      )}
      <fieldset class="below">
        <legend class="visually-hidden">Block it on</legend>
        {site && (
          <label>
            <input
              type="radio"
              name="scope"
              checked={!isEverywhere}
              onChange={() => setEverywhere(false)}
            />
            {site.domain}
          </label>
        )}
        <label>
          <input
            type="radio"
            name="scope"
            checked={isEverywhere || !site}
            onChange={() => setEverywhere(true)}
          />
          all sites ({data.sites.length}), also new ones
        </label>
      </fieldset>
      <p role="status">{wordsFor(plan, address)}</p>
      {block.error !== null && <RefusedNotice error={block.error} />}
      {plan.kind === 'done' ? (
        <Closing onClose={onClose} />
      ) : (
        <FormActions
          action={block.busy ? 'Publishing …' : `Block ${address}`}
          kind="danger"
          disabled={block.busy}
          onClose={onClose}
        />
      )}
    </form>
  );
}

/** The policy that blocks an address now, and the group of the changes that made it so. */
type Blocked = { policy: Policy; group: number | null };
type DoneProps = { address: string; done: Blocked; onClose: () => void };

/** Says what was done, with an undo. */
function DoneNote({ address, done: { policy, group }, onClose }: DoneProps) {
  const { refresh } = useHub();
  const [isUndone, setUndone] = useState(false);
  const undo = useSubmit(async () => {
    await send('POST', `/changelog/groups/${group}/revert`);
    setUndone(true);
    refresh();
  });
  return (
    <>
      <Notice kind="success">
        {isUndone ? (
          `Undone: ${address} is no longer blocked.`
        ) : (
          <>
            {address} is blocked by the policy <a href={`/policies/${policy.id}`}>{policy.name}</a>.{' '}
            {group !== null && (
              <button type="button" class="link" disabled={undo.busy} onClick={() => undo.run()}>
                Undo
              </button>
            )}
          </>
        )}
      </Notice>
      {undo.error !== null && <RefusedNotice error={undo.error} />}
      <Closing onClose={onClose} />
    </>
  );
}

function wordsFor(plan: BlockPlan, address: string): string {
  if (plan.kind === 'done')
    return `${address} is already blocked there, by the policy ${plan.policy.name}.`;
  const sites = plan.on.length > 0 ? plural(plan.on.length, 'site') : null;
  const on = plan.everywhere ? 'every site, also new ones' : sites;
  if (plan.kind === 'create') {
    return `This creates the policy ${plan.name}, which refuses ${address}, and puts it on ${on}.`;
  }
  return `This adds ${address} to the policy ${plan.policy.name}${on ? `, and applies that policy to ${on}` : ''}.`;
}

/** @throws ApiError; nothing is changed then */
async function carryOut(
  plan: Exclude<BlockPlan, { kind: 'done' }>,
  address: string,
): Promise<Blocked> {
  const ids = plan.on.map(({ id }) => id);
  if (plan.kind === 'create') {
    const { name, everywhere } = plan;
    const fresh = { name, recipe: 'block', values: { networks: [address] }, everywhere };
    const { policy, placed } = await createOn(fresh, ids);
    return { policy, group: placed.group };
  }
  const { policy } = plan;
  const networks = [...new Set([...networksOf(policy), address])];
  const values = { ...policy.values, networks };
  const everywhere = policy.everywhere || plan.everywhere;
  return { policy, group: await changeOn(policy, { values, everywhere }, ids) };
}
