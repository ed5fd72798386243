/** Adds or changes a channel: its name, its target, which is tried before, its events and its quiet hours. */
import { useState } from 'preact/hooks';
import { ApiError, send, wordsOf } from '../../../web/lib/api.ts';
import type { EventMeaning } from '../../../web/lib/types.ts';
import { useGet } from '../../../web/lib/use-load.ts';
import type { FieldSpec } from '../../../web/parts/field-of.tsx';
import { FormOf } from '../../../web/parts/form-of.tsx';
import { Notice } from '../../../web/parts/notice.tsx';
import type { ChannelView, MadeChannel } from '../schema.ts';
import {
  isChanged,
  isKept,
  KINDS,
  type Kind,
  shownIn,
  type TargetField,
  targetFrom,
  typedFrom,
} from './kinds.ts';
import { QuietField } from './quiet-field.tsx';

type Props = {
  kind: Kind;
  /** Null for a new one. */
  channel: ChannelView | null;
  /** @param isTried whether a test message was sent first */
  onSaved: (channel: MadeChannel, isTried: boolean) => Promise<void>;
  onClose: () => void;
};

/** The ways to submit the form: with nothing but a test message, and without one. */
const TEST = 'test';
const UNTRIED = 'untried';

const isNotAccepted = (error: unknown) =>
  error instanceof ApiError && error.code === 'CHANNEL_FAILED';

/** The name of a field of the target, in the form and in errors. */
const pathOf = (name: string) => `target.${name}`;

export function ChannelForm({ kind, channel, onSaved, onClose }: Props) {
  const { title, fields } = KINDS[kind];
  const target = channel?.target ?? null;
  const [removed, setRemoved] = useState<readonly string[]>([]);
  // Null: all, which the API says as an empty list.
  const [events, setEvents] = useState(channel?.events.length ? channel.events : null);
  const [quiet, setQuiet] = useState(channel?.quiet ?? null);
  // To the target that is typed now.
  const [isSent, setSent] = useState(false);

  const specOf = ({ name, removable, ...field }: TargetField): FieldSpec => {
    const spec: FieldSpec = {
      ...field,
      label: field.required ? field.label : `${field.label} (optional)`,
      value: typedFrom(kind, target)[name] ?? '',
      autocapitalize: 'off',
      spellcheck: false,
      onText: () => setSent(false),
    };
    if (target === null || !isKept(target, name)) return spec;
    const isRemoved = removed.includes(name);
    const others = removed.filter((one) => one !== name);
    const help = (
      <>
        {isRemoved ? 'It will be removed.' : 'Leave it empty to keep it.'}{' '}
        {removable && (
          <button
            type="button"
            class="link"
            onClick={() => {
              setRemoved(isRemoved ? others : [...others, name]);
              setSent(false);
            }}
          >
            {isRemoved ? 'Keep it' : 'Remove it'}
          </button>
        )}
      </>
    );
    const kept = { ...spec, help, required: false, disabled: isRemoved };
    return isRemoved ? kept : { ...kept, placeholder: shownIn(target, name) };
  };

  return (
    <FormOf<string>
      label={channel ? `Edit ${channel.name}` : `New channel: ${title}`}
      fields={{
        name: { label: 'Name', maxLength: 60, value: channel?.name ?? title },
        ...Object.fromEntries(fields.map((field) => [pathOf(field.name), specOf(field)])),
      }}
      action={channel ? ['Save', 'Saving …'] : ['Add channel', 'Sending a test …']}
      onSubmit={async ({ name, ...values }, way) => {
        if (events?.length === 0 && way !== TEST) return;
        const typed = Object.fromEntries(
          fields.map((field) => [field.name, values[pathOf(field.name)] ?? null]),
        );
        const change = {
          name,
          events: events ?? [],
          quiet,
          target: targetFrom(kind, typed, target),
        };
        const isUntested = !isSent && (!channel || isChanged(kind, typed, target));
        const sends = way === TEST || (isUntested && way !== UNTRIED);
        if (sends) {
          const draft = { id: channel?.id, name, kind, target: change.target };
          await send('POST', '/channels/try', draft);
          setSent(true);
        }
        if (way === TEST) return;
        await onSaved(
          channel
            ? await send<ChannelView>('PUT', `/channels/${channel.id}`, change)
            : await send<MadeChannel>('POST', '/channels', { kind, ...change }),
          sends || isSent,
        );
      }}
      onClose={onClose}
      notice={(error, { busy, submit }) => (
        <Notice kind="error">
          {wordsOf(error)}{' '}
          {isNotAccepted(error) && (
            <button type="button" class="link" disabled={busy} onClick={() => submit(UNTRIED)}>
              {channel ? 'Save it anyway' : 'Add it anyway'}
            </button>
          )}
        </Notice>
      )}
      buttons={({ busy, submit }) => (
        <button
          type="button"
          disabled={busy}
          onClick={({ currentTarget: { form } }) => form?.reportValidity() && submit(TEST)}
        >
          Send a test
        </button>
      )}
      places={['events', 'quiet']}
      more={({ at }) => (
        <>
          <EventsField chosen={events} error={at('events')} onChange={setEvents} />
          <QuietField quiet={quiet} error={at('quiet')} onChange={setQuiet} />
          {isSent && <Notice kind="success">Sent. Has it arrived?</Notice>}
        </>
      )}
    >
      {!channel && <h3>{title}</h3>}
    </FormOf>
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
  const { data: events = [], error: loadError } = useGet<EventMeaning[]>('/events');
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
