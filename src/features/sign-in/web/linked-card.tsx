/** The accounts of the sign-in service that sign in to this one. */
import { useState } from 'preact/hooks';
import type { AccountCard } from '../../../web/feature.ts';
import { send } from '../../../web/lib/api.ts';
import { useSubmit } from '../../../web/lib/use-form.ts';
import { ConfirmButton } from '../../../web/parts/dialog.tsx';
import { ListCard } from '../../../web/parts/list-card.tsx';
import { RefusedNotice } from '../../../web/parts/notice.tsx';
import { Time } from '../../../web/parts/time.tsx';
import { SERVICE, SERVICE_ID, takeReturn, visitService } from './service.ts';
import { ServiceProblem } from './service-problem.tsx';

export const LinkedCard: AccountCard = ({ ways }) => {
  const [{ problem }] = useState(takeReturn);
  const { busy, error, run } = useSubmit(() => visitService('/auth/link-social'));
  const data = ways.data?.filter(({ providerId }) => providerId === SERVICE_ID);
  if (SERVICE === '' && !data?.length) return null;
  return (
    <ListCard
      title={SERVICE || 'Sign-in service'}
      help="Link your account there to sign in with it here."
      list={{ ...ways, data }}
      empty="No account is linked."
      action={
        SERVICE !== '' && (
          <button type="button" disabled={busy} onClick={run}>
            Link an account …
          </button>
        )
      }
      item={(linked) => (
        <li key={linked.id}>
          <div>
            <strong class="mono">{linked.accountId}</strong>
            <p class="muted">
              linked <Time at={linked.createdAt} />
            </p>
          </div>
          <ConfirmButton
            button="Unlink"
            label={`Unlink ${linked.accountId}`}
            title="Unlink this account?"
            action="Unlink"
            onConfirm={async () => {
              await send('POST', '/auth/unlink-account', { accountId: linked.id });
              await ways.reload();
            }}
          >
            <p>It no longer signs you in, and your other sessions end.</p>
          </ConfirmButton>
        </li>
      )}
    >
      {problem && <ServiceProblem code={problem} />}
      {error !== null && <RefusedNotice error={error} />}
    </ListCard>
  );
};
