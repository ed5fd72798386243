/** Where one is signed in. */
import { useState } from 'preact/hooks';
import { ApiError, get, send, sentenceOf } from '../lib/api.ts';
import type { Session } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Notice } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { clientName } from './describe.ts';
import { ListCard } from './list-card.tsx';

/** One that is gone already has ended too. */
const end = async ({ id }: Session) => {
  try {
    await send('DELETE', `/sessions/${id}`);
  } catch (reason) {
    if (!(reason instanceof ApiError) || reason.code !== 'NOT_FOUND') throw reason;
  }
};

/** @param changes of the password: each ends sessions */
export function SessionsCard({ changes }: { changes: number }) {
  const list = useLoad(`sessions ${changes}`, (signal) => get<Session[]>('/sessions', signal));
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState<{ id: string; text: string } | null>(null);
  const others = list.data?.filter(({ current }) => !current) ?? [];

  const endOne = async (session: Session) => {
    setError(null);
    try {
      await end(session);
      await list.reload();
    } catch (reason) {
      setError({ id: session.id, text: sentenceOf(reason) });
    }
  };
  const endOthers = async () => {
    try {
      for (const session of others) await end(session);
      setAsking(false);
    } finally {
      await list.reload();
    }
  };

  return (
    <ListCard
      title="Sessions"
      help="Where you are signed in. One ends by itself after seven days without use."
      list={list}
      action={
        others.length > 1 && (
          <button type="button" onClick={() => setAsking(true)}>
            End all others
          </button>
        )
      }
      item={(session) => (
        <li key={session.id}>
          <div>
            <strong>{clientName(session.userAgent)}</strong>{' '}
            {session.current && <span class="tag tag-good">this one</span>}
            <p class="muted">
              <span class="mono">{session.ipAddress}</span>, signed in{' '}
              <Time at={session.createdAt} />, last used <Time at={session.updatedAt} />
            </p>
            {error?.id === session.id && <Notice kind="error">{error.text}</Notice>}
          </div>
          {!session.current && (
            <button
              type="button"
              aria-label={`End the session of ${clientName(session.userAgent)} at ${session.ipAddress}`}
              onClick={() => endOne(session)}
            >
              End
            </button>
          )}
        </li>
      )}
    >
      {asking && (
        <Confirm
          title="End all other sessions?"
          action="End them"
          onConfirm={endOthers}
          onClose={() => setAsking(false)}
        >
          <p>Everywhere but here you will have to sign in again. API tokens stay good.</p>
        </Confirm>
      )}
    </ListCard>
  );
}
