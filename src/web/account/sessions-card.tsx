/** Lists where the user is signed in, and ends sessions. */
import { useState } from 'preact/hooks';
import { ApiError, get, send, sentenceOf } from '../lib/api.ts';
import type { Session } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Notice } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { clientName } from './describe.ts';
import { ListCard } from './list-card.tsx';

/** A session that no longer exists counts as ended. */
const end = async ({ id }: Session) => {
  try {
    await send('DELETE', `/sessions/${id}`);
  } catch (reason) {
    if (!(reason instanceof ApiError) || reason.code !== 'NOT_FOUND') throw reason;
  }
};

/** @param changes how often the password was changed; each time ends sessions */
export function SessionsCard({ changes }: { changes: number }) {
  const list = useLoad(`sessions ${changes}`, (signal) => get<Session[]>('/sessions', signal));
  const [asking, setAsking] = useState(false);
  const [ending, setEnding] = useState<string | null>(null);
  const others = list.data?.filter(({ current }) => !current) ?? [];

  const { error, run: endOne } = useSubmit(async (session: Session) => {
    setEnding(session.id);
    await end(session);
    await list.reload();
  });
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
      help="Where you are signed in. A session ends after seven days without use."
      list={list}
      action={
        others.length > 1 && (
          <button type="button" onClick={() => setAsking(true)}>
            End all other sessions
          </button>
        )
      }
      item={(session) => (
        <li key={session.id}>
          <div>
            <strong>{clientName(session.userAgent)}</strong>{' '}
            {session.current && <span class="tag tag-good">this session</span>}
            <p class="muted">
              <span class="mono">{session.ipAddress}</span>, signed in{' '}
              <Time at={session.createdAt} />, last used <Time at={session.updatedAt} />
            </p>
            {error !== null && ending === session.id && (
              <Notice kind="error">{sentenceOf(error)}</Notice>
            )}
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
          action="End sessions"
          onConfirm={endOthers}
          onClose={() => setAsking(false)}
        >
          <p>You have to sign in again everywhere except here. API tokens keep working.</p>
        </Confirm>
      )}
    </ListCard>
  );
}
