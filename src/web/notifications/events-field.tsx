/** Boxes for the events that a channel gets: all of them, or some. */
import { get } from '../lib/api.ts';
import type { Channel, EventMeaning } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';

type Events = Channel['events'];
type Props = {
  /** Null: all. */
  chosen: Events | null;
  error: string | null;
  onChange: (chosen: Events | null) => void;
};

export function EventsField({ chosen, error, onChange }: Props) {
  const { data: events = [], error: loadError } = useLoad('events', (signal) =>
    get<EventMeaning[]>('/events', signal),
  );
  const all = events.map(({ event }) => event);
  const fault = chosen?.length === 0 ? 'Choose at least one.' : (error ?? loadError);
  return (
    <fieldset class="choices" aria-invalid={fault ? true : undefined}>
      <legend>Events</legend>
      {fault && <p class="field-error">{fault}</p>}
      <label class="check">
        <input
          type="checkbox"
          checked={chosen === null}
          onChange={() => onChange(chosen === null ? all : null)}
        />
        <span>
          Everything <small class="muted">Also events that a later version adds.</small>
        </span>
      </label>
      {chosen &&
        events.map(({ event, meaning }) => (
          <label key={event}>
            <input
              type="checkbox"
              checked={chosen.includes(event)}
              onChange={({ currentTarget: { checked } }) =>
                onChange(all.filter((one) => (one === event ? checked : chosen.includes(one))))
              }
            />
            <span>
              {meaning} <small class="muted mono">{event}</small>
            </span>
          </label>
        ))}
    </fieldset>
  );
}
