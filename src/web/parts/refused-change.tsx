/** Why a change was refused, and the ways on if Caddy serves sites that signalbox does not manage. */
import type { ComponentChildren } from 'preact';
import { ApiError } from '../lib/api.ts';
import { ConfirmReplace, DialogButton } from './dialog.tsx';
import { RefusedNotice } from './notice.tsx';

type Props = {
  error: unknown;
  /** Makes the change, and replaces those sites. */
  onReplace: () => Promise<void>;
  /** Shown below the words, if none of those sites are in the way. */
  children?: ComponentChildren;
};

export const RefusedChange = ({ error, onReplace, children }: Props) => (
  <RefusedNotice error={error}>
    {error instanceof ApiError && error.code === 'IMPORT_FIRST' ? (
      <p>
        <a href="/import">Import them first</a>, or{' '}
        <DialogButton class="link" button="replace them anyway">
          {(close) => <ConfirmReplace onReplace={onReplace} onClose={close} />}
        </DialogButton>
        .
      </p>
    ) : (
      children
    )}
  </RefusedNotice>
);
