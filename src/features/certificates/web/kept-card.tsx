/** The certificates that the hub keeps, and what owners add to them. */
import { useState } from 'preact/hooks';
import { get } from '../../../web/lib/api.ts';
import { usePublishes } from '../../../web/lib/hub.ts';
import { useCan } from '../../../web/lib/roles.ts';
import { navigate } from '../../../web/lib/router.ts';
import type { Vhost } from '../../../web/lib/types.ts';
import { useEvery, useLoad } from '../../../web/lib/use-load.ts';
import { ListCard, useOpener } from '../../../web/parts/list-card.tsx';
import { Notice } from '../../../web/parts/notice.tsx';
import type { KeptCertificateView } from '../view.ts';
import { DnsForm } from './dns-form.tsx';
import { KeptRow } from './kept-row.tsx';
import { UploadForm } from './upload-form.tsx';

const WAYS = { upload: 'Upload', dns: 'Get by DNS' } as const;

/** The hub renews by itself, and others upload. */
const EVERY_MS = 15_000;

export function KeptCard({ query }: { query: URLSearchParams }) {
  const wanted = query.get('dns');
  const publishes = usePublishes();
  const list = useLoad(`stored ${publishes}`, (signal) =>
    get<KeptCertificateView[]>('/certificates/kept', signal),
  );
  useEvery(EVERY_MS, list.reload);
  const isOwner = useCan('owner');
  const ways = useOpener<KeptCertificateView['source']>(isOwner && wanted !== null ? 'dns' : null);
  const [said, setSaid] = useState('');
  const isUsed = list.data?.some(({ sites }) => sites.length > 0) ?? false;
  const sites = useLoad(`sites of certificates ${publishes} ${isUsed}`, async (signal) =>
    isUsed ? get<Vhost[]>('/vhosts', signal) : [],
  );
  const close = () => {
    ways.close();
    if (wanted !== null) navigate('/certificates', { replace: true });
  };
  const onChanged = async (words: string) => {
    setSaid(words);
    await list.reload();
  };
  const form = {
    stored: null,
    onClose: close,
    onSaved: async ({ name }: KeptCertificateView) => {
      close();
      await onChanged(`The certificate ${name} is live.`);
    },
  };
  return (
    <ListCard
      title="Stored certificates"
      list={list}
      empty={
        'Store a certificate here, and every proxy serves it for the sites that it covers: one wildcard is enough for all of them, even if none can be reached from the internet.' +
        (isOwner ? '' : ' An owner can add one.')
      }
      action={
        isOwner && (
          <span class="row">
            {(['upload', 'dns'] as const).map((way) => (
              <button
                key={way}
                {...ways.opener(way)}
                onClick={() => {
                  ways.opener(way).onClick();
                  setSaid('');
                }}
              >
                {WAYS[way]}
              </button>
            ))}
          </span>
        )
      }
      item={(kept) => (
        <KeptRow key={kept.id} kept={kept} sites={sites.data ?? []} onChanged={onChanged} />
      )}
    >
      {said && <Notice kind="success">{said}</Notice>}
      {ways.opened === 'upload' && <UploadForm {...form} />}
      {ways.opened === 'dns' && <DnsForm {...form} wanted={wanted ?? ''} />}
    </ListCard>
  );
}
