/** Lists and adds channels; without any, says what they are for. */
import { useState } from 'preact/hooks';
import type { Loaded } from '../../../web/lib/use-load.ts';
import { ShownOnce } from '../../../web/parts/dialog.tsx';
import { ListCard, useOpener } from '../../../web/parts/list-card.tsx';
import type { DeliveryView } from '../delivery-routes.ts';
import type { ChannelView, MadeChannel } from '../schema.ts';
import { ChannelForm } from './channel-form.tsx';
import { ChannelRow } from './channel-row.tsx';
import { KINDS, type Kind } from './kinds.ts';

type Props = {
  list: Loaded<ChannelView[]>;
  /** Newest first. */
  deliveries: readonly DeliveryView[];
  /** Called after any change. */
  onChanged: () => Promise<void>;
};

const ALL = Object.keys(KINDS) as Kind[];

export function ChannelsCard({ list, deliveries, onChanged }: Props) {
  const { opened: adding, opener, close } = useOpener<Kind>();
  const [made, setMade] = useState<MadeChannel | null>(null);
  const [tried, setTried] = useState<number | null>(null);
  const isFirst = list.data?.length === 0 && adding === null;
  return (
    <ListCard
      title="Channels"
      help="Get a message when something breaks and another when it is fixed."
      list={list}
      item={(channel) => (
        <ChannelRow
          key={channel.id}
          channel={channel}
          lastSent={deliveries.find((one) => one.channel.id === channel.id && one.sentAt)?.sentAt}
          isTried={channel.id === tried}
          onChanged={onChanged}
        />
      )}
    >
      {list.data && (
        <div class={isFirst ? 'channel-kinds-first columns below' : 'row below'}>
          {!isFirst && <span class="muted">Add</span>}
          {ALL.map((kind) => (
            <button key={kind} {...opener(kind)}>
              {KINDS[kind].title}
              {isFirst && <small class="muted">{KINDS[kind].what}</small>}
            </button>
          ))}
        </div>
      )}
      {adding && (
        <ChannelForm
          key={adding}
          kind={adding}
          channel={null}
          onSaved={async (channel, isTried) => {
            close();
            setMade(channel);
            setTried(isTried ? channel.id : null);
            await onChanged();
          }}
          onClose={close}
        />
      )}
      {made?.secret !== undefined && (
        <ShownOnce
          title="The secret of your webhook"
          name="secret"
          secret={made.secret}
          onClose={() => setMade(null)}
        >
          Copy the secret of <strong>{made.name}</strong> now. It will not be shown again. The
          receiver uses it to check that a message is from this hub: the header{' '}
          <code>X-Signalbox-Signature</code> is <code>sha256=</code> and the HMAC of the body.
        </ShownOnce>
      )}
    </ListCard>
  );
}
