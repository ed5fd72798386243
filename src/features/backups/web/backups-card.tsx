/** The backups that the hub makes by itself: lists them, makes another one, and restores one. */
import { useState } from 'preact/hooks';
import { ApiError, send } from '../../../web/lib/api.ts';
import { plural } from '../../../web/lib/format.ts';
import { useEvery, useGet } from '../../../web/lib/use-load.ts';
import { ActionButton } from '../../../web/parts/action-button.tsx';
import { FormButton } from '../../../web/parts/form-of.tsx';
import { ListCard } from '../../../web/parts/list-card.tsx';
import { Notice } from '../../../web/parts/notice.tsx';
import { Time } from '../../../web/parts/time.tsx';
import type { BackupsView, BackupView } from '../routes.ts';

/** How often the hub is asked whether it has restarted. */
const RESTARTING_MS = 2_000;

const KEYS: Readonly<Record<BackupView['key'], string>> = {
  none: 'without a key',
  clear: 'key in clear',
  sealed: 'key sealed',
};

export function BackupsCard() {
  const { data, error, reload, set } = useGet<BackupsView>('/backups');
  const [isRestarting, setIsRestarting] = useState(false);
  const isOn = data?.enabled === true;
  const notRestored = data?.notRestored ?? null;
  // Until it asks to sign in again, or says why it does not.
  useEvery(RESTARTING_MS, () => isRestarting && notRestored === null && reload());

  return (
    <ListCard
      title="Backups"
      help={data && <Help {...data} />}
      list={{
        data: isOn ? data.backups : data && [],
        error: error ?? data?.unreadable ?? null,
        reload,
      }}
      {...(isOn && data.unreadable === null && { empty: 'There are no backups yet.' })}
      action={
        isOn && (
          <ActionButton
            busy="Backing up …"
            act={async () => {
              const made = await send<BackupsView>('POST', '/backups');
              set(() => made);
            }}
          >
            Back up now
          </ActionButton>
        )
      }
      item={(one) => (
        <li key={one.name}>
          <div>
            <strong>
              <Time at={one.madeAt} />
            </strong>{' '}
            <span class="tag">{KEYS[one.key]}</span>{' '}
            {!one.own && <span class="tag">from another hub</span>}
            <p class="muted">
              <span class="mono">{one.name}</span>, {sizeOf(one.bytes)}
            </p>
          </div>
          <RestoreButton
            backup={one}
            onDone={() => {
              setIsRestarting(true);
              set((known) => known && { ...known, notRestored: null });
            }}
          />
        </li>
      )}
    >
      {notRestored !== null && (
        <Notice
          kind="error"
          title={`The backup was not restored, and nothing was changed: ${notRestored}.`}
        />
      )}
      {isRestarting && notRestored === null && (
        <Notice kind="success" title="The backup is being restored">
          The hub restarts, and then asks you to sign in again.
        </Notice>
      )}
    </ListCard>
  );
}

function Help({ enabled, keep, sealed, succeededAt, failure }: BackupsView) {
  if (!enabled) {
    return (
      <>
        The hub makes none by itself. Set <code>BACKUP_DIR</code>, and it makes one a day and one
        before each upgrade.
      </>
    );
  }
  return (
    <>
      One a day and one before each upgrade, if anything has changed; the last{' '}
      {plural(keep ?? 0, 'backup')} stay.{' '}
      {sealed ? '' : 'Set BACKUP_PASSPHRASE to seal the key in them. '}
      {succeededAt !== null && (
        <>
          Last checked: <Time at={succeededAt} />.
        </>
      )}
      {failure && ` Failing: ${failure.reason}.`}
    </>
  );
}

const PASSPHRASE = { label: 'Passphrase of this backup', type: 'password' } as const;

type RestoreProps = { backup: BackupView; onDone: () => void };

function RestoreButton({ backup, onDone }: RestoreProps) {
  const [needsPassphrase, setNeedsPassphrase] = useState(false);
  return (
    <FormButton<string>
      button="Restore …"
      class="danger"
      label={`Restore ${backup.name}`}
      title="Restore this backup?"
      fields={needsPassphrase ? { passphrase: PASSPHRASE } : {}}
      action={['Restore']}
      kind="danger"
      onSubmit={async ({ passphrase }, way) => {
        const path = `/backups/${encodeURIComponent(backup.name)}/restore`;
        const how = {
          ...(passphrase && { passphrase }),
          ...(way === 'without key' && { withoutKey: true }),
        };
        await send('POST', path, how).catch((reason) => {
          if (reason instanceof ApiError && reason.field === 'passphrase') setNeedsPassphrase(true);
          throw reason;
        });
        onDone();
      }}
      buttons={({ busy, submit }) =>
        needsPassphrase && (
          <button type="button" disabled={busy} onClick={() => submit('without key')}>
            Restore without the key
          </button>
        )
      }
    >
      <p>
        All sites, accounts and settings become as they were <Time at={backup.madeAt} />. What was
        changed since is lost, but the present database is kept beside it. The hub restarts, and
        everyone has to sign in again.
      </p>
      {!backup.own && (
        <p>
          Another hub made this backup, and this one takes its place. Switch that one off first.
        </p>
      )}
    </FormButton>
  );
}

/** `212 kB`, `1.4 MB` */
const sizeOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
