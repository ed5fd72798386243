/** Lists, creates and revokes API tokens. */
import { useState } from 'preact/hooks';
import { send } from '../lib/api.ts';
import { useCan } from '../lib/roles.ts';
import type { NewToken, Token } from '../lib/types.ts';
import { useGet } from '../lib/use-load.ts';
import { ConfirmButton, ShownOnce } from '../parts/dialog.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { Time } from '../parts/time.tsx';
import { curlExample, EXPIRIES, expiryAt, hasExpired } from './describe.ts';

const READ = { value: 'read', label: 'Read only', help: 'Can see sites, logs and the changelog.' };
const WRITE = {
  value: 'write',
  label: 'Read and write',
  help: 'Can also change sites and the Caddy options, and import. Never accounts or tokens.',
};

export function TokensCard() {
  const list = useGet<Token[]>('/tokens');
  const [shown, setShown] = useState<NewToken | null>(null);
  const canWrite = useCan('editor');

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
      add={{
        button: 'New token',
        label: 'New token',
        action: ['Create token', 'Creating …'],
        fields: {
          name: {
            label: 'Token name',
            help: 'What the token is for. The changelog shows it next to every change made with the token.',
            maxLength: 100,
          },
          scope: { label: 'Access', options: canWrite ? [READ, WRITE] : [READ], value: 'read' },
          days: { label: 'Expires after', options: EXPIRIES, value: '90' },
        },
        onSubmit: async ({ days, ...token }) => {
          const expiresAt = expiryAt(Number(days) || null, new Date());
          setShown(await send<NewToken>('POST', '/tokens', { ...token, expiresAt }));
        },
      }}
      item={({ id, name, scope, createdAt, lastUsedAt, expiresAt }) => (
        <li key={id}>
          <div>
            <strong>{name}</strong>{' '}
            <span class="tag">{scope === 'write' ? 'read and write' : 'read only'}</span>
            <p class="muted">
              created <Time at={createdAt} />, <LastUse at={lastUsedAt} />,{' '}
              <Expiry at={expiresAt} />
            </p>
          </div>
          <ConfirmButton
            button="Revoke"
            label={`Revoke ${name}`}
            title="Revoke this token?"
            action="Revoke token"
            onConfirm={async () => {
              await send('DELETE', `/tokens/${id}`);
              await list.reload();
            }}
          >
            <p>
              Whatever uses <strong>{name}</strong> loses access at once. Changes made with it stay.
            </p>
          </ConfirmButton>
        </li>
      )}
    >
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
