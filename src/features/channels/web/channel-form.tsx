/** Adds or changes a channel: its name, its target, its events and its quiet hours. */
import { useState } from 'preact/hooks';
import { get, send } from '../../../web/lib/api.ts';
import type { EventMeaning } from '../../../web/lib/types.ts';
import { placeError, useSubmit } from '../../../web/lib/use-form.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import { TextField } from '../../../web/parts/field.tsx';
import { InsetForm } from '../../../web/parts/list-card.tsx';
import type { ChannelView, MadeChannel } from '../schema.ts';
import { KINDS, type Kind, targetFrom, typedFrom } from './kinds.ts';
import { QuietField } from './quiet-field.tsx';
import { TargetInput } from './target-input.tsx';

type Props = {
  kind: Kind;
  /** Null for a new one. */
  channel: ChannelView | null;
  onSaved: (channel: MadeChannel) => Promise<void>;
  onClose: () => void;
};

export function ChannelForm({ kind, channel, onSaved, onClose }: Props) {
  const { title, fields } = KINDS[kind];
  const target = channel?.target ?? null;
  const [name, setName] = useState(channel?.name ?? title);
  const [typed, setTyped] = useState(() => typedFrom(kind, target));
  // Null: all, which the API says as an empty list.
  const [events, setEvents] = useState(channel?.events.length ? channel.events : null);
  const [quiet, setQuiet] = useState(channel?.quiet ?? null);
  const { busy, error, run } = useSubmit(async () => {
    const change = { name, events: events ?? [], quiet, target: targetFrom(kind, typed, target) };
    await onSaved(
      channel
        ? await send<ChannelView>('PUT', `/channels/${channel.id}`, change)
        : await send<MadeChannel>('POST', '/channels', { kind, ...change }),
    );
  });
  const places = ['name', 'events', 'quiet', ...fields.map((field) => `target.${field.name}`)];
  const { at, notice } = placeError(error, places, ({ field }) =>
    field?.startsWith('target.') ? field : (field?.split('.')[0] ?? null),
  );
  return (
    <InsetForm
      label={channel ? `Edit ${channel.name}` : `New channel: ${title}`}
      action={channel ? ['Save', 'Saving …'] : ['Add channel', 'Adding …']}
      busy={busy}
      notice={notice}
      onSubmit={() => events?.length !== 0 && run()}
      onClose={onClose}
    >
      {!channel && <h3>{title}</h3>}
      <TextField
        label="Name"
        error={at('name')}
        type="text"
        required
        maxLength={60}
        autocomplete="off"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      {fields.map((field) => (
        <TargetInput
          key={field.name}
          field={field}
          target={target}
          typed={typed[field.name] ?? null}
          error={at(`target.${field.name}`)}
          onChange={(value) => setTyped((old) => ({ ...old, [field.name]: value }))}
        />
      ))}
      <EventsField chosen={events} error={at('events')} onChange={setEvents} />
      <QuietField quiet={quiet} error={at('quiet')} onChange={setQuiet} />
    </InsetForm>
  );
}

type Events = ChannelView['events'];
type EventsFieldProps = {
  /** Null: all. */
  chosen: Events | null;
  error: string | null;
  onChange: (chosen: Events | null) => void;
};

/** Boxes for the events that a channel gets: all of them, or some. */
function EventsField({ chosen, error, onChange }: EventsFieldProps) {
  const { data: events = [], error: loadError } = useLoad('events', (signal) =>
    get<EventMeaning[]>('/events', signal),
  );
  const all = events.map(({ event }) => event);
  const fault = chosen?.length === 0 ? 'Choose at least one.' : (error ?? loadError);
  return (
    <fieldset class="choices" aria-invalid={fault ? true : undefined}>
      <legend>Events</legend>
      {fault && <p class="field-error">{fault}</p>}
      <label class="strong">
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
