/** Lists, adds, renames and removes the passkeys of the signed-in account. */
import { useState } from 'preact/hooks';
import { clientName } from '../../../web/account/describe.ts';
import { LastUse } from '../../../web/account/tokens-card.tsx';
import { get, send } from '../../../web/lib/api.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import { ConfirmButton, Dialog } from '../../../web/parts/dialog.tsx';
import { FormOf } from '../../../web/parts/form-of.tsx';
import { ListCard } from '../../../web/parts/list-card.tsx';
import { Time } from '../../../web/parts/time.tsx';
import type { PasskeyView } from '../passkeys/views.ts';
import { addPasskey, canUsePasskeys } from './passkeys.ts';

export function PasskeysCard() {
  const list = useLoad('passkeys', (signal) =>
    get<PasskeyView[]>('/auth/passkey/list-user-passkeys', signal),
  );
  const [asked, setAsked] = useState<'add' | PasskeyView | null>(null);
  const close = () => setAsked(null);
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
            onClick={() => setAsked(passkey)}
          >
            Rename
          </button>
          <ConfirmButton
            button="Remove"
            label={`Remove the passkey ${passkey.name}`}
            title="Remove this passkey?"
            action="Remove passkey"
            onConfirm={async () => {
              await send('POST', '/auth/passkey/delete-passkey', { id: passkey.id });
              await list.reload();
            }}
          >
            <p>
              <strong>{passkey.name}</strong> no longer signs you in, and your other sessions end.
              Delete it on the device as well.
            </p>
          </ConfirmButton>
        </li>
      )}
    >
      {asked && (
        <NameDialog
          title={asked === 'add' ? 'Add a passkey' : 'Rename this passkey'}
          name={asked === 'add' ? clientName(navigator.userAgent) : asked.name}
          save={async (name) => {
            if (asked === 'add') await addPasskey(name);
            else await send('POST', '/auth/passkey/update-passkey', { id: asked.id, name });
            close();
            await list.reload();
          }}
          onClose={close}
        />
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

const NameDialog = ({ title, name, save, onClose }: NameProps) => (
  <Dialog title={title} onClose={onClose}>
    <FormOf
      fields={{
        name: {
          label: 'Passkey name',
          help: 'To tell your passkeys apart, such as the device that has it.',
          value: name,
          maxLength: 100,
        },
      }}
      action={['Continue']}
      onSubmit={(values) => save(values.name)}
      onClose={onClose}
    />
  </Dialog>
);
