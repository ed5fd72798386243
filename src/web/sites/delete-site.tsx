/** Asks before a site is deleted. */
import { Confirm } from '../parts/confirm.tsx';

type Props = { domain: string; onConfirm: () => Promise<void>; onClose: () => void };

export const DeleteSite = ({ domain, onConfirm, onClose }: Props) => (
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
