/** The channels and their messages, with the incidents between them. */
import type { ComponentChildren } from 'preact';
import { SUBJECTS } from '../../../web/incidents/words.ts';
import { type Loaded, useEvery, useGet } from '../../../web/lib/use-load.ts';
import { ListCard } from '../../../web/parts/list-card.tsx';
import { ClockTime } from '../../../web/parts/time.tsx';
import type { DeliveryView } from '../delivery-routes.ts';
import type { ChannelView } from '../schema.ts';
import { ChannelsCard } from './channels-card.tsx';
import { outcomeOf, STATES } from './words.ts';

const EVERY_MS = 10_000;

export function Messages({ children }: { children: ComponentChildren }) {
  const channels = useGet<ChannelView[]>('/channels');
  const sent = useGet<DeliveryView[]>('/deliveries');
  const reload = async () => {
    await Promise.all([channels.reload(), sent.reload()]);
  };
  useEvery(EVERY_MS, reload);
  return (
    <>
      <ChannelsCard list={channels} deliveries={sent.data ?? []} onChanged={reload} />
      {children}
      <DeliveriesCard list={sent} />
    </>
  );
}

const LAMPS = { sent: '', waiting: ' lamp-warn', failed: ' lamp-bad' } as const;

/** The messages that were sent, or wait for their channel. */
const DeliveriesCard = ({ list }: { list: Loaded<DeliveryView[]> }) => (
  <ListCard
    title="Deliveries"
    help="Recent messages and their delivery status."
    list={list}
    empty="Nothing has been sent yet."
    isLong
    item={(delivery) => {
      const { id, channel, state, event, about, message, at, outcome } = delivery;
      return (
        <li key={id}>
          <span class={`lamp${LAMPS[outcome]}`} aria-hidden="true" />
          <div>
            <strong>{about || (event ? SUBJECTS[event] : 'signalbox')}</strong>{' '}
            <span class="tag muted">{STATES[state]}</span>
            <p>{message}</p>
            <p class="muted">
              <ClockTime at={at} /> · {channel.name} · {outcomeOf(delivery, new Date())}
            </p>
          </div>
        </li>
      );
    }}
  />
);
