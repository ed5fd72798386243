/** The messages that were sent, or wait for their channel. */
import { ListCard } from '../account/list-card.tsx';
import { SUBJECTS } from '../incidents/words.ts';
import type { Delivery } from '../lib/types.ts';
import type { Loaded } from '../lib/use-load.ts';
import { ClockTime } from '../parts/clock-time.tsx';
import { useFirstOnes } from './use-first-ones.tsx';
import { outcomeOf, STATES } from './words.ts';

const LAMPS = { sent: '', waiting: ' lamp-warn', failed: ' lamp-bad' } as const;

export function DeliveriesCard({ list }: { list: Loaded<Delivery[]> }) {
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
