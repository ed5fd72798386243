/** The page for what breaks while nobody is looking: where it is reported, and what was. */
import { get } from '../lib/api.ts';
import type { Channel, Delivery } from '../lib/types.ts';
import { useEvery } from '../lib/use-every.ts';
import { useLoad } from '../lib/use-load.ts';
import { ChannelsCard } from './channels-card.tsx';
import { DeliveriesCard } from './deliveries-card.tsx';
import { IncidentsCard } from './incidents-card.tsx';

const EVERY_MS = 10_000;

export function NotificationsPage() {
  const channels = useLoad('channels', (signal) => get<Channel[]>('/channels', signal));
  const sent = useLoad('deliveries', (signal) => get<Delivery[]>('/deliveries', signal));
  const reload = async () => {
    await Promise.all([channels.reload(), sent.reload()]);
  };
  useEvery(EVERY_MS, reload);
  return (
    <>
      <div class="page-head">
        <h1>Notifications</h1>
      </div>
      <div class="cards">
        <ChannelsCard list={channels} deliveries={sent.data ?? []} onChanged={reload} />
        <IncidentsCard />
        <DeliveriesCard list={sent} />
      </div>
    </>
  );
}
