/** Warnings before an action replaces sites that Caddy serves and signalbox does not manage. */
import { Confirm } from './confirm.tsx';

export const ReplacesForeign = () => (
  <p>
    Caddy currently serves sites that signalbox does not manage. They will be replaced. Their
    Caddyfile is kept as a copy.
  </p>
);

type Props = { onReplace: () => Promise<void>; onClose: () => void };

export const ConfirmReplace = ({ onReplace, onClose }: Props) => (
  <Confirm
    title="Replace Caddy’s current sites?"
    action="Replace it"
    onConfirm={async () => {
      await onReplace();
      onClose();
    }}
    onClose={onClose}
  >
    <p>
      Caddy will stop serving its current sites. The old file is kept beside the new one, as
      Caddyfile.before-signalbox.
    </p>
  </Confirm>
);
