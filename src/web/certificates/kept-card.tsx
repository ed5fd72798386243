/** The certificates that the hub keeps, with what owners do to them. */
import { useState } from 'preact/hooks';
import { get, request } from '../lib/api.ts';
import { localTime, plural } from '../lib/format.ts';
import { usePublishes } from '../lib/hub.ts';
import { useCan } from '../lib/roles.ts';
import type { Kept, Vhost } from '../lib/types.ts';
import { type Loaded, useLoad } from '../lib/use-load.ts';
import { Confirm } from '../parts/dialog.tsx';
import { ListCard, useOpener } from '../parts/list-card.tsx';
import { Notice } from '../parts/notice.tsx';
import { keptState } from './rows.ts';
import { UploadForm } from './upload-form.tsx';

/** Sites that are named beside their number. */
const NAMED = 3;

export function KeptCard({ list }: { list: Loaded<Kept[]> }) {
  const isOwner = useCan('owner');
  const { isOpen, opener, close } = useOpener();
  const [said, setSaid] = useState('');
  const isUsed = list.data?.some(({ sites }) => sites.length > 0) ?? false;
  const sites = useLoad(`sites of certificates ${usePublishes()} ${isUsed}`, async (signal) =>
    isUsed ? get<Vhost[]>('/vhosts', signal) : [],
  );
  const onChanged = async (words: string) => {
    setSaid(words);
    await list.reload();
  };
  return (
    <ListCard
      title="Kept by the hub"
      list={list}
      empty={
        'Keep a certificate here and every proxy serves it for the sites that it covers: one wildcard is enough for all of them, even if none can be reached from the internet.' +
        (isOwner ? '' : ' An owner can add one.')
      }
      action={isOwner && <button {...opener}>Upload</button>}
      item={(kept) => (
        <KeptRow key={kept.id} kept={kept} sites={sites.data ?? []} onChanged={onChanged} />
      )}
    >
      {said && <Notice kind="success">{said}</Notice>}
      {isOpen && (
        <UploadForm
          stored={null}
          onClose={close}
          onSaved={async ({ name }) => {
            close();
            await onChanged(`The certificate ${name} is live.`);
          }}
        />
      )}
    </ListCard>
  );
}

type RowProps = {
  kept: Kept;
  sites: readonly Vhost[];
  onChanged: (words: string) => Promise<void>;
};

function KeptRow({ kept, sites, onChanged }: RowProps) {
  const { id, name, names, issuer, source, provider, warning } = kept;
  const path = `/certificates/kept/${id}`;
  const isOwner = useCan('owner');
  const { isOpen, opener, close } = useOpener();
  const [asking, setAsking] = useState(false);
  const remove = async () => {
    await request(`${path}${kept.sites.length > 0 ? '?force=true' : ''}`, { method: 'DELETE' });
    setAsking(false);
    await onChanged(`The certificate ${name} is deleted.`);
  };
  const used = kept.sites.map((of) => ({
    id: of,
    domain: sites.find((site) => site.id === of)?.domain ?? `site ${of}`,
  }));
  const { level, label } = keptState(kept, new Date());
  return (
    <li class="channel">
      <div class="channel-what">
        <strong>{name}</strong>{' '}
        <span class="tag muted">{source === 'dns' ? `by DNS, ${provider}` : 'uploaded'}</span>
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
      </div>
      {isOwner && (
        <div class="channel-tools row">
          <button {...opener} aria-label={`Replace ${name}`}>
            Replace
          </button>
          <button type="button" aria-label={`Delete ${name}`} onClick={() => setAsking(true)}>
            Delete …
          </button>
        </div>
      )}
      {isOpen && (
        <UploadForm
          stored={kept}
          onClose={close}
          onSaved={async () => {
            close();
            await onChanged(`The certificate ${name} is replaced.`);
          }}
        />
      )}
      {asking && (
        <Confirm
          title={`Delete the certificate ${name}?`}
          action="Delete certificate"
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          {used.length > 0 && (
            <p>
              {plural(used.length, 'site')} {used.length === 1 ? 'loses' : 'lose'} it:{' '}
              {used.map(({ domain }) => domain).join(', ')}. Caddy then gets certificates for them
              itself where it can.
            </p>
          )}
          <p>You can restore it from the changelog until it expires.</p>
        </Confirm>
      )}
    </li>
  );
}
