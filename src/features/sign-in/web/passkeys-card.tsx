/** Lists, adds, renames and removes the passkeys of the signed-in account. */
import { useState } from 'preact/hooks';
import { clientName } from '../../../web/account/describe.ts';
import { LastUse } from '../../../web/account/tokens-card.tsx';
import { get, send } from '../../../web/lib/api.ts';
import { placeError, submitWith, useFields, useSubmit } from '../../../web/lib/use-form.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import { Confirm, Dialog, FormActions } from '../../../web/parts/dialog.tsx';
import { TextField } from '../../../web/parts/field.tsx';
import { ListCard } from '../../../web/parts/list-card.tsx';
import { Notice } from '../../../web/parts/notice.tsx';
import { Time } from '../../../web/parts/time.tsx';
import type { PasskeyView } from '../passkeys/views.ts';
import { addPasskey, canUsePasskeys } from './passkeys.ts';

export function PasskeysCard() {
  const list = useLoad('passkeys', (signal) =>
    get<PasskeyView[]>('/auth/passkey/list-user-passkeys', signal),
  );
  const [asked, setAsked] = useState<
    'add' | { rename: PasskeyView } | { remove: PasskeyView } | null
  >(null);
  const close = () => setAsked(null);
  const done = async () => {
    close();
    await list.reload();
  };
  const canAdd = canUsePasskeys();

  return (
    <ListCard
      title="Passkeys"
      help={
        canAdd
          ? 'Sign in with your fingerprint, your face, a PIN or a security key instead of a password and a code. A passkey cannot be phished.'
          : 'Sign in without a password. For that, open the dashboard by its name and HTTPS, or as localhost, in a browser that knows passkeys.'
      }
      list={list}
      empty="You have no passkeys."
      action={
        canAdd && (
          <button type="button" onClick={() => setAsked('add')}>
            Add a passkey …
          </button>
        )
      }
      item={(passkey) => (
        <li key={passkey.id}>
          <div>
            <strong>{passkey.name}</strong>
            <p class="muted">
              added <Time at={passkey.createdAt} />, <LastUse at={passkey.lastUsedAt} />
            </p>
          </div>
          <button
            type="button"
            aria-label={`Rename the passkey ${passkey.name}`}
            onClick={() => setAsked({ rename: passkey })}
          >
            Rename
          </button>
          <button
            type="button"
            aria-label={`Remove the passkey ${passkey.name}`}
            onClick={() => setAsked({ remove: passkey })}
          >
            Remove
          </button>
        </li>
      )}
    >
      {asked === 'add' && (
        <NameDialog
          title="Add a passkey"
          name={clientName(navigator.userAgent)}
          save={async (name) => {
            await addPasskey(name);
            await done();
          }}
          onClose={close}
        />
      )}
      {asked && asked !== 'add' && 'rename' in asked && (
        <NameDialog
          title="Rename this passkey"
          name={asked.rename.name}
          save={async (name) => {
            await send('POST', '/auth/passkey/update-passkey', { id: asked.rename.id, name });
            await done();
          }}
          onClose={close}
        />
      )}
      {asked && asked !== 'add' && 'remove' in asked && (
        <Confirm
          title="Remove this passkey?"
          action="Remove passkey"
          onConfirm={async () => {
            await send('POST', '/auth/passkey/delete-passkey', { id: asked.remove.id });
            await done();
          }}
          onClose={close}
        >
          <p>
            <strong>{asked.remove.name}</strong> no longer signs you in, and your other sessions
            end. Delete it on the device as well.
          </p>
        </Confirm>
      )}
    </ListCard>
  );
}

type NameProps = {
  title: string;
  name: string;
  save: (name: string) => Promise<void>;
  onClose: () => void;
};

function NameDialog({ title, name, save, onClose }: NameProps) {
  const { values, input } = useFields({ name });
  const { busy, error, run } = useSubmit(() => save(values.name));
  const { at, notice } = placeError(error, ['name']);
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submitWith(run)}>
        <TextField
          label="Passkey name"
          help="To tell your passkeys apart, such as the device that has it."
          error={at('name')}
          {...input('name')}
          type="text"
          maxLength={100}
          autocomplete="off"
        />
        {notice && <Notice kind="error">{notice}</Notice>}
        <FormActions action="Continue" disabled={busy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
