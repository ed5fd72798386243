/** Turns sites on and off, and deletes them: the question before that, and why one was not switched. */
import { plural } from '../../lib/format.ts';
import { bulk, type Relabelled } from '../../lib/relabel.ts';
import type { Vhost } from '../../lib/types.ts';
import { Closing, Confirm, Dialog } from '../../parts/dialog.tsx';
import { lazy } from '../../parts/loading.tsx';
import { RefusedNotice } from '../../parts/notice.tsx';

const ChangeQuestions = lazy(
  async () => (await import('../../placement/dialogs.ts')).ChangeQuestions,
);

export type Action = 'on' | 'off' | 'delete';
/** What was done. */
export type Done = { words: string } & Pick<Relabelled, 'group'>;

export const WORDS: Record<Action, { action: string; done: string; text: string }> = {
  on: { action: 'Turn on', done: 'turned on', text: 'Caddy will serve:' },
  off: { action: 'Turn off', done: 'turned off', text: 'Caddy stops serving:' },
  delete: {
    action: 'Delete',
    done: 'deleted',
    text: 'Caddy stops serving these at once. You can undo it, here or in the changelog:',
  },
};

/** Those of some sites with which there is something to do. */
export const meantBy = (action: Action, sites: readonly Vhost[]): readonly Vhost[] =>
  action === 'delete' ? sites : sites.filter(({ enabled }) => enabled === (action === 'off'));

// Not toggles, which would turn back what someone else has turned meanwhile.
const operationsOf = (action: Action, sites: readonly Vhost[]) =>
  sites.map(({ id }) =>
    action === 'delete' ? { op: 'delete', id } : { op: 'update', id, enabled: action === 'on' },
  );

type Props = {
  action: Action;
  sites: readonly Vhost[];
  onClose: () => void;
  onDone: (done: Done) => Promise<void>;
};

export function ActionDialog({ action, sites, onClose, onDone }: Props) {
  const meant = meantBy(action, sites);
  const operations = operationsOf(action, meant);
  const words = WORDS[action];
  const what = plural(meant.length, 'site');
  return (
    <Confirm
      title={`${words.action} ${meant.length === 1 ? meant[0]?.domain : what}?`}
      action={`${words.action} ${what}`}
      kind={action === 'on' ? 'primary' : 'danger'}
      onConfirm={async () => {
        const { group } = await bulk(operations);
        onClose();
        await onDone({ words: `${what} ${words.done}`, group });
      }}
      onClose={onClose}
    >
      <p>{words.text}</p>
      <ul class="scroll">
        {meant.map(({ id, domain }) => (
          <li key={id}>{domain}</li>
        ))}
      </ul>
      <ChangeQuestions of={operations} />
    </Confirm>
  );
}

type RefusedProps = { site: Vhost; error: unknown; onClose: () => void };

/** Why a site is still on, or still off. */
export const RefusedDialog = ({ site, error, onClose }: RefusedProps) => (
  <Dialog title={`${site.domain} is still ${site.enabled ? 'on' : 'off'}`} onClose={onClose}>
    <RefusedNotice error={error} />
    <Closing onClose={onClose}>
      <a class="button" href={`/sites/${site.id}`}>
        Open site
      </a>
    </Closing>
  </Dialog>
);
