/** The second factor: codes of an app, and recovery codes for when it is lost. */
import { useState } from 'preact/hooks';
import type { AccountCard } from '../../../web/feature.ts';
import { send } from '../../../web/lib/api.ts';
import { useHub, useUser } from '../../../web/lib/hub.ts';
import { CopyButton } from '../../../web/parts/code-block.tsx';
import { Dialog } from '../../../web/parts/dialog.tsx';
import { CODE, digitsOf, PASSWORD_ALONE, Username } from '../../../web/parts/field-of.tsx';
import { FormButton, FormDialog } from '../../../web/parts/form-of.tsx';
import { lazy } from '../../../web/parts/loading.tsx';

const QrCode = lazy(async () => (await import('./qr-code.tsx')).QrCode);

type Made = { totpURI: string; backupCodes: string[] };
type Step = ({ name: 'scan' } & Made) | { name: 'codes'; codes: string[] };

export const FactorCard: AccountCard = ({ hasPassword }) => {
  const user = useUser();
  const { reloadUser } = useHub();
  const [step, setStep] = useState<Step | null>(null);
  const close = () => setStep(null);
  const isOn = user?.twoFactorEnabled === true;
  const path = '/auth/two-factor';

  const enable = async (password: string) =>
    setStep({ name: 'scan', ...(await send<Made>('POST', `${path}/enable`, { password })) });
  const renew = async (password: string) => {
    const { backupCodes } = await send<Made>('POST', `${path}/generate-backup-codes`, { password });
    setStep({ name: 'codes', codes: backupCodes });
  };
  const disable = async (password: string) => {
    await send('POST', `${path}/disable`, { password });
    await reloadUser();
  };

  if (!hasPassword) return null;
  return (
    <section class="card" aria-labelledby="factor-title">
      <div class="card-head row between">
        <h2 id="factor-title">Second factor</h2>
        {isOn ? (
          <span class="row">
            <PasswordButton
              button="New recovery codes …"
              title="New recovery codes"
              action="Make new codes"
              run={renew}
            >
              The codes that you have now stop working.
            </PasswordButton>
            <PasswordButton
              button="Turn off …"
              title="Turn off the second factor?"
              action="Turn off"
              kind="danger"
              run={disable}
            >
              Your password alone is then enough to sign in. Your other sessions end.
            </PasswordButton>
          </span>
        ) : (
          <PasswordButton
            button="Set up …"
            title="Set up a second factor"
            action="Continue"
            run={enable}
          >
            You need an authenticator app, such as Aegis, 2FAS or Google Authenticator, or a
            password manager.
          </PasswordButton>
        )}
      </div>
      <p class="muted">
        {isOn
          ? 'On: after your password, signing in needs a code from your app.'
          : 'Off. With a second factor, a stolen password is not enough: signing in also needs a code from an app on your phone.'}
      </p>
      {step?.name === 'scan' && (
        <ScanDialog
          uri={step.totpURI}
          onDone={() => setStep({ name: 'codes', codes: step.backupCodes })}
          onClose={close}
        />
      )}
      {step?.name === 'codes' && (
        <CodesDialog
          codes={step.codes}
          onClose={() => {
            close();
            void reloadUser();
          }}
        />
      )}
    </section>
  );
};

type PasswordButtonProps = {
  button: string;
  title: string;
  action: string;
  kind?: 'danger';
  run: (password: string) => Promise<void>;
  children: string;
};

const PasswordButton = ({ action, run, children, ...more }: PasswordButtonProps) => (
  <FormButton
    {...more}
    fields={PASSWORD_ALONE}
    action={[action]}
    onSubmit={({ password }) => run(password)}
  >
    <p>{children}</p>
    <Username />
  </FormButton>
);

type ScanProps = { uri: string; onDone: () => void; onClose: () => void };

/** Shows the secret to the app, and asks for its first code. */
function ScanDialog({ uri, onDone, onClose }: ScanProps) {
  const secret = new URL(uri).searchParams.get('secret') ?? '';
  return (
    <FormDialog
      title="Scan this with your app"
      fields={{
        code: {
          label: 'Code from your app',
          help: 'Six digits. The second factor is on once this code is right.',
          ...CODE,
          wrong: 'Wrong code. If the next one is wrong too, compare the clocks.',
        },
      }}
      action={['Turn on']}
      onSubmit={async ({ code }) => {
        await send('POST', '/auth/two-factor/verify-totp', { code: digitsOf(code) });
        onDone();
      }}
      onClose={onClose}
      buttons={() => <CopyButton text={secret} label="Copy secret" />}
    >
      <p class="center">
        <QrCode text={uri} label="QR code with the secret" />
      </p>
      <p>Or type the secret into the app:</p>
      <p class="secret code wrap">
        <code>{secret.match(/.{1,4}/g)?.join(' ')}</code>
      </p>
    </FormDialog>
  );
}

/** Shows recovery codes, once. */
function CodesDialog({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const text = codes.join('\n');
  return (
    <Dialog title="Your recovery codes" onClose={onClose}>
      <p>
        Each signs you in once if you lose the app. Keep them where you find them without this
        device. They will not be shown again.
      </p>
      <ol class="code columns plain mono" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div class="actions">
        <CopyButton text={text} label="Copy codes" />
        <a
          class="button"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
          download={`signalbox-recovery-codes-${location.hostname}.txt`}
        >
          Download
        </a>
        <button type="button" class="primary" onClick={onClose}>
          I have saved them
        </button>
      </div>
    </Dialog>
  );
}
