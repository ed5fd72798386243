/** A channel on the wire: what a client may send, checked. */
import { type Static, type TSchema, t } from 'elysia';
import { CHANNEL_KINDS, EVENT_NAMES, type QuietHours } from '../../shared/events.ts';
import { Failure } from '../../shared/failure.ts';

/** One of some texts, or null. A `UnionEnum` would default to the first. */
export const oneOf = <const Text extends string | null>(
  texts: readonly Text[],
  options: object = {},
) =>
  t.Union(
    texts.map((text) => (text === null ? t.Null() : t.Literal(text))),
    options,
    // TypeScript does not see through the loop.
  ) as unknown as TSchema & { static: Text };

export const Quiet = t.Object(
  {
    from: t.String({ examples: ['22:00'] }),
    to: t.String({ description: 'may be on the next day', examples: ['07:00'] }),
    timeZone: t.String({ description: 'of the IANA database', examples: ['Europe/Berlin'] }),
  },
  { title: 'QuietHours', description: 'hours in which messages are held' },
);

/** Of a field of a target, or null to remove it. */
const given = (description: string) => t.Optional(t.Union([t.String(), t.Null()], { description }));

export const TargetInput = t.Object(
  {
    url: given('webhook, ntfy, gotify'),
    topic: given('ntfy'),
    token: given('gotify; optional with ntfy'),
    secret: given(
      'webhook: signs the messages; if left out of a new channel, the hub generates one',
    ),
    host: given('smtp'),
    port: t.Optional(
      t.Union([t.Integer(), t.Null()], {
        description: 'smtp; default: 587, with tls 465, with none 25',
      }),
    ),
    security: t.Optional(
      oneOf(['starttls', 'tls', 'none', null], { description: 'smtp; default: starttls' }),
    ),
    user: given('smtp, with a password'),
    password: given('smtp, with a user'),
    from: given('smtp: an email address'),
    to: given('smtp: an email address'),
  },
  {
    title: 'ChannelTargetInput',
    description: 'the fields that belong to the kind',
    // Elysia would take anything for an object without any of its fields, and drop unknown ones.
    additionalProperties: true,
  },
);

const Name = t.String({ description: '1 to 60 characters, on one line' });

/** The fields of an update; one that is left out stays as it is. */
export const ChannelFields = {
  name: t.Optional(Name),
  kind: t.Optional(oneOf(CHANNEL_KINDS, { description: 'cannot be changed' })),
  enabled: t.Optional(t.Boolean({ description: 'true by default for a new channel' })),
  events: t.Optional(
    t.Array(oneOf(EVENT_NAMES), {
      maxItems: EVENT_NAMES.length,
      description: 'the events it gets; if empty, as in a new channel: all',
    }),
  ),
  quiet: t.Optional(t.Union([Quiet, t.Null()])),
  target: t.Optional(TargetInput),
};

export const NewChannel = {
  ...ChannelFields,
  name: Name,
  kind: oneOf(CHANNEL_KINDS),
  target: TargetInput,
};

const FIELDS = t.Object(ChannelFields);
export type ChannelInput = Static<typeof FIELDS>;

const MAX_NAME = 60;

/** @throws Failure INVALID_REQUEST */
export function checkName(text: string): string {
  const name = text.trim();
  // The name becomes part of messages.
  if (name !== '' && name.length <= MAX_NAME && !/\p{Cc}/u.test(name)) return name;
  throw invalid('name', `A channel has a name of 1 to ${MAX_NAME} characters, on one line.`);
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/** @throws Failure INVALID_REQUEST, at `quiet.timeZone` and the like */
export function checkQuiet(quiet: QuietHours | null): QuietHours | null {
  if (quiet === null) return null;
  const { from, to, timeZone } = quiet;
  for (const [field, time] of Object.entries({ from, to })) {
    if (!TIME.test(time)) throw invalid(`quiet.${field}`, 'It must be a time such as 22:00.');
  }
  if (from === to) throw invalid('quiet.to', 'Start and end must differ.');
  if (!isTimeZone(timeZone)) {
    throw invalid('quiet.timeZone', 'It must be a time zone such as Europe/Berlin.');
  }
  return { from, to, timeZone };
}

function isTimeZone(name: string): boolean {
  // `Intl` takes offsets such as +02:00 too, which know no summer time.
  if (!/^[a-z]/i.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const invalid = (field: string, message: string) =>
  new Failure('INVALID_REQUEST', message, { at: { field } });
