/** The page for what breaks while nobody is looking: where it is reported, and what was. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { IncidentItem } from '../incidents/incident-list.tsx';
import { SUBJECTS } from '../incidents/words.ts';
import { get } from '../lib/api.ts';
import { useCan } from '../lib/roles.ts';
import type { Channel, Delivery, Incident } from '../lib/types.ts';
import { type Loaded, useEvery, useLoad } from '../lib/use-load.ts';
import { ListCard } from '../parts/list-card.tsx';
import { ClockTime } from '../parts/time.tsx';
import { ChannelsCard } from './channels-card.tsx';
import { outcomeOf, STATES } from './words.ts';

const EVERY_MS = 10_000;

export const NotificationsPage = () => (
  <>
    <div class="page-head row">
      <h1>Notifications</h1>
    </div>
    <div class="cards">{useCan('owner') ? <Messages /> : <IncidentsCard />}</div>
  </>
);

/** The channels and their messages, for owners. */
function Messages() {
  const channels = useLoad('channels', (signal) => get<Channel[]>('/channels', signal));
  const sent = useLoad('deliveries', (signal) => get<Delivery[]>('/deliveries', signal));
  const reload = async () => {
    await Promise.all([channels.reload(), sent.reload()]);
  };
  useEvery(EVERY_MS, reload);
  return (
    <>
      <ChannelsCard list={channels} deliveries={sent.data ?? []} onChanged={reload} />
      <IncidentsCard />
      <DeliveriesCard list={sent} />
    </>
  );
}

const LAMPS = { sent: '', waiting: ' lamp-warn', failed: ' lamp-bad' } as const;

/** The messages that were sent, or wait for their channel. */
function DeliveriesCard({ list }: { list: Loaded<Delivery[]> }) {
  const { first, more } = useFirstOnes(list);
  return (
    <ListCard
      title="Deliveries"
      help="Recent messages and their delivery status."
      list={first}
      empty="Nothing has been sent yet."
      action={more}
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
}

/** The problems that the hub has seen, open ones first. */
function IncidentsCard() {
  const list = useLoad('incidents', async (signal) => {
    const incidents = await get<Incident[]>('/incidents', signal);
    const isOver = ({ overAt }: Incident) => overAt !== null;
    return [...incidents.filter((one) => !isOver(one)), ...incidents.filter(isOver)];
  });
  useEvery(EVERY_MS, list.reload);
  const { first, more } = useFirstOnes(list);
  return (
    <ListCard
      title="Incidents"
      help="Problems that lasted more than a few seconds: open ones first, then the latest."
      list={first}
      empty="No incidents so far."
      action={more}
      item={(incident) => <IncidentItem key={incident.id} incident={incident} />}
    />
  );
}

/** Shown at first. */
const MOST = 10;

/** @returns the list to show, and the button; null if there is nothing more */
function useFirstOnes<T>(list: Loaded<T[]>): {
  first: Loaded<T[]>;
  more: ComponentChildren;
} {
  const [isAll, setAll] = useState(false);
  const { data } = list;
  if (!data || data.length <= MOST) return { first: list, more: null };
  return {
    first: { ...list, data: isAll ? data : data.slice(0, MOST) },
    more: (
      <button type="button" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
        {isAll ? `Show the latest ${MOST}` : `Show all ${data.length}`}
      </button>
    ),
  };
}
