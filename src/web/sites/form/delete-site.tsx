/** Asks before a site is deleted, and then opens the list, which offers to undo that. */
import { useHub } from '../../lib/hub.ts';
import { remove } from '../../lib/relabel.ts';
import { navigate, setFlash } from '../../lib/router.ts';
import type { Vhost } from '../../lib/types.ts';
import { ChangeQuestions } from '../../parts/change-questions.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { outcomeOf } from './draft.ts';

type Props = {
  site: Vhost;
  /** Called once it is deleted, before its page is left. */
  onGone?: () => void;
  onClose: () => void;
};

export function DeleteSite({ site, onGone, onClose }: Props) {
  const { refresh } = useHub();
  const confirm = async () => {
    const words = `${site.domain} is deleted`;
    const { warnings = [], behind = [], group } = await remove(site);
    setFlash({ ...outcomeOf(words, { warnings, behind }), done: { words, group } });
    refresh();
    onGone?.();
    navigate('/sites', { replace: true });
  };
  return (
    <Confirm
      title={`Delete ${site.domain}?`}
      action="Delete site"
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        Caddy stops serving it at once. You can undo it, in the list of sites or in the changelog.
      </p>
      <ChangeQuestions of={[{ op: 'delete', id: site.id }]} />
    </Confirm>
  );
}
