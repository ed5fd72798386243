/** Lists, adds, renames and removes the passkeys of the signed-in account. */
import { clientName } from '../../../web/account/describe.ts';
import { LastUse } from '../../../web/account/tokens-card.tsx';
import { send } from '../../../web/lib/api.ts';
import { useGet } from '../../../web/lib/use-load.ts';
import { ConfirmButton } from '../../../web/parts/dialog.tsx';
import { FormButton } from '../../../web/parts/form-of.tsx';
import { ListCard } from '../../../web/parts/list-card.tsx';
import { Time } from '../../../web/parts/time.tsx';
import type { PasskeyView } from '../passkeys/views.ts';
import { addPasskey, canUsePasskeys } from './passkeys.ts';

export function PasskeysCard() {
  const list = useGet<PasskeyView[]>('/auth/passkey/list-user-passkeys');
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
          <FormButton
            button="Add a passkey …"
            title="Add a passkey"
            fields={nameField(clientName(navigator.userAgent))}
            action={['Continue']}
            onSubmit={async ({ name }) => {
              await addPasskey(name);
              await list.reload();
            }}
          />
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
          <FormButton
            button="Rename"
            label={`Rename the passkey ${passkey.name}`}
            title="Rename this passkey"
            fields={nameField(passkey.name)}
            action={['Continue']}
            onSubmit={async ({ name }) => {
              await send('POST', '/auth/passkey/update-passkey', { id: passkey.id, name });
              await list.reload();
            }}
          />
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
    />
  );
}

const nameField = (value: string) => ({
  name: {
    label: 'Passkey name',
    help: 'To tell your passkeys apart, such as the device that has it.',
    value,
    maxLength: 100,
  },
});
