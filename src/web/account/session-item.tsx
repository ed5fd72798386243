/** A session in a list, with a button that ends it. */
import { ApiError, send } from '../lib/api.ts';
import type { Session } from '../lib/types.ts';
import type { Loaded } from '../lib/use-load.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Time } from '../parts/time.tsx';
import { clientName } from './describe.ts';

/** A session that no longer exists counts as ended. @throws ApiError */
export async function endSession({ id }: Session): Promise<void> {
  try {
    await send('DELETE', `/sessions/${id}`);
  } catch (reason) {
    if (!(reason instanceof ApiError) || reason.code !== 'NOT_FOUND') throw reason;
  }
}

type Props = { session: Session; list: Loaded<Session[]> };

export function SessionItem({ session, list }: Props) {
  const { current, userAgent, ipAddress, createdAt, updatedAt } = session;
  return (
    <li>
      <div>
        <strong>{clientName(userAgent)}</strong>{' '}
        {current && <span class="tag tag-good">this session</span>}
        <p class="muted">
          <span class="mono">{ipAddress}</span>, signed in <Time at={createdAt} />
          {/* What is stored of the one in use is a while old. */}
          {current ? (
            ', in use now'
          ) : (
            <>
              , last used <Time at={updatedAt} />
            </>
          )}
        </p>
      </div>
      {!current && (
        <ActionButton
          label={`End the session of ${clientName(userAgent)} at ${ipAddress}`}
          act={async () => {
            await endSession(session);
            await list.reload();
          }}
        >
          End
        </ActionButton>
      )}
    </li>
  );
}
