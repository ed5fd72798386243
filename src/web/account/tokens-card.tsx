/** Lists, creates and revokes API tokens, and the form of a new one. */
import { useState } from 'preact/hooks';
import { get, send } from '../lib/api.ts';
import { useCan } from '../lib/roles.ts';
import type { NewToken, Token } from '../lib/types.ts';
import { placeError, useFields, useSubmit } from '../lib/use-form.ts';
import { useLoad } from '../lib/use-load.ts';
import { Confirm, ShownOnce } from '../parts/dialog.tsx';
import { Field, TextField } from '../parts/field.tsx';
import { InsetForm, ListCard, useOpener } from '../parts/list-card.tsx';
import { Time } from '../parts/time.tsx';
import { curlExample, EXPIRIES, expiryAt, hasExpired } from './describe.ts';

export function TokensCard() {
  const list = useLoad('tokens', (signal) => get<Token[]>('/tokens', signal));
  const { isOpen, opener, close } = useOpener();
  const [shown, setShown] = useState<NewToken | null>(null);
  const [revoking, setRevoking] = useState<Token | null>(null);

  const revoke = async () => {
    await send('DELETE', `/tokens/${revoking?.id}`);
    setRevoking(null);
    await list.reload();
  };

  return (
    <ListCard
      title="API tokens"
      help={
        <>
          Let scripts use the API without a password, and do no more than you may. You can revoke
          each token separately.{' '}
          <a href="/api/openapi.json" target="_blank" rel="noreferrer">
            OpenAPI document
          </a>
        </>
      }
      list={list}
      empty="You have no API tokens."
      action={<button {...opener}>New token</button>}
      item={(token) => (
        <li key={token.id}>
          <div>
            <strong>{token.name}</strong>{' '}
            <span class="tag">{token.scope === 'write' ? 'read and write' : 'read only'}</span>
            <p class="muted">
              created <Time at={token.createdAt} />, <LastUse at={token.lastUsedAt} />,{' '}
              <Expiry at={token.expiresAt} />
            </p>
          </div>
          <button
            type="button"
            aria-label={`Revoke ${token.name}`}
            onClick={() => setRevoking(token)}
          >
            Revoke
          </button>
        </li>
      )}
    >
      {isOpen && (
        <TokenForm
          onCreated={(token) => {
            close();
            setShown(token);
            void list.reload();
          }}
          onClose={close}
        />
      )}
      {shown && (
        <ShownOnce
          title="Your new token"
          name="token"
          secret={shown.token}
          example={curlExample(location.origin, shown.token)}
          onClose={() => setShown(null)}
        >
          Copy <strong>{shown.name}</strong> now. It will not be shown again: the hub keeps only its
          hash.
        </ShownOnce>
      )}
      {revoking && (
        <Confirm
          title="Revoke this token?"
          action="Revoke token"
          onConfirm={revoke}
          onClose={() => setRevoking(null)}
        >
          <p>
            Whatever uses <strong>{revoking.name}</strong> loses access at once. Changes made with
            it stay.
          </p>
        </Confirm>
      )}
    </ListCard>
  );
}

/** Of a token or a passkey. */
export const LastUse = ({ at }: { at: string | null }) =>
  at === null ? (
    <>never used</>
  ) : (
    <>
      last used <Time at={at} />
    </>
  );

function Expiry({ at }: { at: string | null }) {
  if (at === null) return <>never expires</>;
  const over = hasExpired(at, new Date());
  return (
    <span class={over ? 'bad' : undefined}>
      {over ? 'expired' : 'expires'} <Time at={at} />
    </span>
  );
}

const SCOPES: readonly { scope: Token['scope']; label: string; help: string }[] = [
  { scope: 'read', label: 'Read only', help: 'Can see sites, logs and the changelog.' },
  {
    scope: 'write',
    label: 'Read and write',
    help: 'Can also change sites and the preamble, and import. Never accounts or tokens.',
  },
];
const DEFAULT_DAYS = 90;

type Props = { onCreated: (token: NewToken) => void; onClose: () => void };

/** A new token: its name, its scope, its expiry. */
function TokenForm({ onCreated, onClose }: Props) {
  const { values, input } = useFields({ name: '' });
  const [scope, setScope] = useState<Token['scope']>('read');
  const canWrite = useCan('editor');
  const [days, setDays] = useState<number | null>(DEFAULT_DAYS);
  const { busy, error, run } = useSubmit(async () => {
    const body = { ...values, scope, expiresAt: expiryAt(days, new Date()) };
    onCreated(await send<NewToken>('POST', '/tokens', body));
  });
  const { at, notice } = placeError(error, ['name']);

  return (
    <InsetForm
      label="New token"
      action={['Create token', 'Creating …']}
      busy={busy}
      notice={notice}
      onSubmit={run}
      onClose={onClose}
    >
      <TextField
        label="Token name"
        help="What the token is for. The changelog shows it next to every change made with the token."
        error={at('name')}
        {...input('name')}
        type="text"
        maxLength={100}
        autocomplete="off"
      />
      <fieldset class="choices">
        <legend>Access</legend>
        {SCOPES.filter((one) => canWrite || one.scope === 'read').map(
          ({ scope: option, label, help }) => (
            <label key={option}>
              <input
                type="radio"
                name="scope"
                checked={scope === option}
                onChange={() => setScope(option)}
              />
              <span>
                {label} <small class="muted">{help}</small>
              </span>
            </label>
          ),
        )}
      </fieldset>
      <Field label="Expires after">
        {(attributes) => (
          <select
            {...attributes}
            onChange={(event) => {
              const chosen = EXPIRIES.find(({ label }) => label === event.currentTarget.value);
              setDays(chosen ? chosen.days : DEFAULT_DAYS);
            }}
          >
            {EXPIRIES.map(({ label, days: option }) => (
              <option key={label} value={label} selected={option === days}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
    </InsetForm>
  );
}
