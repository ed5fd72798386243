/** A certificate that the hub keeps: how it is, which sites have it, and what owners do to it. */
import { send } from '../../../web/lib/api.ts';
import { localTime, plural } from '../../../web/lib/format.ts';
import { useCan } from '../../../web/lib/roles.ts';
import type { Vhost } from '../../../web/lib/types.ts';
import { useSubmit } from '../../../web/lib/use-form.ts';
import { ConfirmButton } from '../../../web/parts/dialog.tsx';
import { useOpener } from '../../../web/parts/list-card.tsx';
import { RefusedNotice } from '../../../web/parts/notice.tsx';
import { Time } from '../../../web/parts/time.tsx';
import type { KeptCertificateView } from '../view.ts';
import { DnsForm, Ordering } from './dns-form.tsx';
import { keptState } from './kept-state.ts';
import { UploadForm } from './upload-form.tsx';

/** Sites that are named beside their number. */
const NAMED = 3;

type Props = {
  kept: KeptCertificateView;
  /** All, or none while they are not known. */
  sites: readonly Vhost[];
  /** Called after a change with what was done; empty if it failed. */
  onChanged: (words: string) => Promise<void>;
};

export function KeptRow({ kept, sites, onChanged }: Props) {
  const { id, name, names, issuer, source, provider, warning, lastError, failedAt } = kept;
  const isDns = source === 'dns';
  const path = `/certificates/kept/${id}`;
  const isOwner = useCan('owner');
  const { opened, opener, close } = useOpener();
  const renewal = useSubmit(async () => {
    let words = '';
    try {
      await send('POST', `${path}/renew`);
      words = `The certificate ${name} is renewed.`;
    } finally {
      await onChanged(words);
    }
  });
  const used = kept.sites.map((of) => ({
    id: of,
    domain: sites.find((site) => site.id === of)?.domain ?? `site ${of}`,
  }));
  const { level, label } = keptState(kept, new Date());
  const form = {
    stored: kept,
    onClose: close,
    onSaved: async () => {
      close();
      await onChanged(`The certificate ${name} is replaced.`);
    },
  };
  return (
    <li>
      <div>
        <strong>{name}</strong>{' '}
        <span class="tag muted">{isDns ? `by DNS, ${provider}` : 'uploaded'}</span>
        <p class="mono">{names.join(', ')}</p>
        <p class="muted">
          <time
            class={level === 'plain' ? '' : `tag tag-${level}`}
            dateTime={kept.notAfter}
            title={`until ${localTime(kept.notAfter)}`}
          >
            {label}
          </time>
          , signed by {issuer || 'itself'}
          {kept.renewsAt && (
            <>
              , renews <Time at={kept.renewsAt} />
            </>
          )}
        </p>
        <p class="muted">
          {used.length === 0 ? 'no site has these names' : plural(used.length, 'site')}
          {used.slice(0, NAMED).map(({ id: of, domain }, at) => (
            <span key={of}>
              {at === 0 ? ': ' : ', '}
              <a href={`/sites/${of}`}>{domain}</a>
            </span>
          ))}
          {used.length > NAMED && ' …'}
        </p>
        {warning && <p>{warning}</p>}
        {lastError && renewal.error === null && (
          <p class="bad">
            Not renewed
            {failedAt && (
              <>
                {' '}
                (<Time at={failedAt} />)
              </>
            )}
            : {lastError}
          </p>
        )}
      </div>
      {isOwner && (
        <div class="buttons row">
          {isDns && (
            <button
              type="button"
              aria-label={`Renew ${name}`}
              aria-disabled={renewal.busy}
              onClick={() => renewal.run()}
            >
              {renewal.busy ? 'Renewing …' : 'Renew'}
            </button>
          )}
          <button {...opener('form')} aria-label={`${isDns ? 'Change' : 'Replace'} ${name}`}>
            {isDns ? 'Change' : 'Replace'}
          </button>
          <ConfirmButton
            button="Delete …"
            label={`Delete ${name}`}
            title={`Delete the certificate ${name}?`}
            action="Delete certificate"
            onConfirm={async () => {
              const force = kept.sites.length > 0 ? '?force=true' : '';
              await send('DELETE', `${path}${force}`);
              await onChanged(`The certificate ${name} is deleted.`);
            }}
          >
            {used.length > 0 && (
              <p>
                {plural(used.length, 'site')} {used.length === 1 ? 'loses' : 'lose'} it:{' '}
                {used.map(({ domain }) => domain).join(', ')}. Caddy then gets certificates for them
                itself where it can.
              </p>
            )}
            <p>You can restore it from the changelog until it expires.</p>
          </ConfirmButton>
        </div>
      )}
      {renewal.busy && <Ordering />}
      {renewal.error !== null && <RefusedNotice error={renewal.error} />}
      {opened && (isDns ? <DnsForm {...form} wanted="" /> : <UploadForm {...form} />)}
    </li>
  );
}
