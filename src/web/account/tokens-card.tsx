/** Lists, creates and revokes API tokens. */
import { useState } from 'preact/hooks';
import { get, send } from '../lib/api.ts';
import type { NewToken, Token } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { Confirm } from '../parts/confirm.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { Time } from '../parts/time.tsx';
import { curlExample, hasExpired } from './describe.ts';
import { ListCard } from './list-card.tsx';
import { TokenForm } from './token-form.tsx';
import { useOpener } from './use-opener.ts';

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
          Let scripts use the API without a password. You can revoke each token separately.{' '}
          <a href="/api/docs" target="_blank" rel="noreferrer">
            API reference
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

const LastUse = ({ at }: { at: string | null }) =>
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
    <span class={over ? 'over' : undefined}>
      {over ? 'expired' : 'expires'} <Time at={at} />
    </span>
  );
}
