/** Shows the secret that the hub made for a webhook, once. */
import type { NewChannel } from '../lib/types.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';

type Props = { channel: NewChannel; onClose: () => void };

export const SecretShown = ({ channel: { name, secret = '' }, onClose }: Props) => (
  <Dialog title="The secret of your webhook" onClose={onClose}>
    <p>
      Copy the secret of <strong>{name}</strong> now. It will not be shown again. The receiver uses
      it to check that a message is from this hub: the header <code>X-Signalbox-Signature</code> is{' '}
      <code>sha256=</code> and the HMAC of the body.
    </p>
    <p class="secret">
      <code>{secret}</code>
    </p>
    <div class="actions">
      <CopyButton text={secret} label="Copy secret" />
      <button type="button" class="primary" onClick={onClose}>
        I have copied it
      </button>
    </div>
  </Dialog>
);
