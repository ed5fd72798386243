/** Shows the text of a new token, once. */
import type { NewToken } from '../lib/types.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { curlExample } from './describe.ts';

type Props = { token: NewToken; onClose: () => void };

export function TokenShown({ token: { name, token }, onClose }: Props) {
  const example = curlExample(location.origin, token);
  return (
    <Dialog title="Your new token" onClose={onClose}>
      <p>
        Copy <strong>{name}</strong> now. It will not be shown again: the hub keeps only its hash.
      </p>
      <p class="secret">
        <code>{token}</code>
      </p>
      <div class="actions start">
        <CopyButton text={token} label="Copy token" />
      </div>
      <h3>Try it</h3>
      <pre class="code wrap">{example}</pre>
      <div class="actions">
        <CopyButton text={example} label="Copy command" />
        <button type="button" class="primary" onClick={onClose}>
          I have copied it
        </button>
      </div>
    </Dialog>
  );
}
