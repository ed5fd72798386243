/** Channels on the wire: what a client may send, and what is shown, without the secrets. */
import { type Static, type TSchema, t } from 'elysia';
import { Timestamp } from '../../hub/http/schemas.ts';
import { EVENT_NAMES, ONE_OFF } from '../../shared/events.ts';
import { Failure } from '../../shared/failure.ts';
import { integer } from '../../shared/integer.ts';
import type { Backlog, Channel } from './channels.ts';
import { formatOf } from './kinds/fields.ts';
import { CHANNEL_KINDS, type ChannelKind, KINDS } from './kinds/kinds.ts';
import { fieldsOf, isOptional, maskTarget } from './target.ts';

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

const Quiet = t.Object(
  {
    from: t.String({ examples: ['22:00'] }),
    to: t.String({ description: 'may be on the next day', examples: ['07:00'] }),
    timeZone: t.String({ description: 'of the IANA database', examples: ['Europe/Berlin'] }),
  },
  { title: 'QuietHours', description: 'hours in which messages are held' },
);

/** `ntfy (optional)`, `smtp, with user`. */
function useOf(kind: ChannelKind, name: string): string {
  const other = KINDS[kind].pair?.find((one) => one !== name);
  if (other && KINDS[kind].pair?.includes(name)) return `${kind}, with ${other}`;
  return isOptional(KINDS[kind], name) ? `${kind} (optional)` : kind;
}

/** The fields of all targets, each with the kinds that have it; a name means the same in all of them. */
const FIELDS = Map.groupBy(
  CHANNEL_KINDS.flatMap((kind) =>
    fieldsOf(KINDS[kind]).map(([name, schema]) => ({ name, schema, of: useOf(kind, name) })),
  ),
  ({ name }) => name,
);

type FieldOf = { schema: TSchema; all: readonly { schema: TSchema; of: string }[] };

const eachField = (schemaOf: (field: FieldOf) => TSchema) =>
  Object.fromEntries(
    [...FIELDS].flatMap(([name, all]) => {
      const [first] = all;
      return first ? [[name, t.Optional(schemaOf({ schema: first.schema, all }))]] : [];
    }),
  );

/** Which kinds have it, and what a form says of it. */
function wordsOf({ schema, all }: FieldOf): string {
  const kinds = all.map(({ of }) => of).join(', ');
  const more = schema.description ?? Object.values(schema.labels ?? {}).join(', ');
  return more === '' ? kinds : `${kinds}: ${more}`;
}

/** A value, or null to remove it. */
const TargetInput = t.Object(
  eachField((field) => {
    const { type, enum: names } = field.schema;
    const description = wordsOf(field);
    if (names) return oneOf([...names, null], { description });
    return t.Union([type === 'integer' ? integer() : t.String(), t.Null()], { description });
  }),
  {
    title: 'ChannelTargetInput',
    description: 'the fields that belong to the kind',
    // Elysia would take anything for an object without any of its fields, and drop unknown ones.
    additionalProperties: true,
  },
) as unknown as TSchema & { static: Record<string, string | number | null> };

const Name = t.String({ description: '1 to 60 characters, on one line' });

/** The fields of an update; one that is left out stays as it is. */
export const ChannelFields = {
  name: t.Optional(Name),
  kind: t.Optional(oneOf(CHANNEL_KINDS, { description: 'cannot be changed' })),
  enabled: t.Optional(t.Boolean({ description: 'true by default for a new channel' })),
  events: t.Optional(
    t.Array(oneOf(EVENT_NAMES), {
      maxItems: EVENT_NAMES.length,
      description: `the events it gets; if empty, as in a new channel: all but ${ONE_OFF.map((name) => `\`${name}\``).join(' and ')}`,
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

/** A channel that is tried before it is created or changed. */
export const ChannelTrial = t.Object(
  {
    id: t.Optional(
      integer({
        description: 'of a channel, whose stored target has what is left out of this one',
      }),
    ),
    name: Name,
    kind: oneOf(CHANNEL_KINDS),
    target: TargetInput,
  },
  { title: 'ChannelTrial' },
);

const TargetView = t.Object(
  eachField(({ schema }) => {
    if (schema.enum) return t.UnionEnum(schema.enum);
    const { shown } = formatOf(schema);
    const words = shown === undefined ? {} : { description: shown };
    return schema.type === 'integer' ? integer(words) : t.String(words);
  }),
  {
    title: 'ChannelTarget',
    description: 'the stored fields, masked; none if the hub’s key is lost',
  },
) as unknown as TSchema & { static: Record<string, string | number> };

const view = {
  id: integer(),
  name: t.String(),
  kind: t.UnionEnum(CHANNEL_KINDS),
  enabled: t.Boolean(),
  events: t.Array(t.UnionEnum(EVENT_NAMES), {
    description: 'the events it gets; if empty: all that can be resolved',
  }),
  quiet: t.Union([Quiet, t.Null()]),
  target: TargetView,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  waiting: integer({ description: 'messages not delivered yet' }),
  failing: t.Union(
    [
      t.Object({
        since: Timestamp,
        detail: t.String({ description: 'why the last attempt failed' }),
      }),
      t.Null(),
    ],
    { description: 'if messages could not be delivered' },
  ),
};

export const ChannelView = t.Object(view, { title: 'Channel' });
export type ChannelView = Static<typeof ChannelView>;
export const MadeChannel = t.Object(
  {
    ...view,
    secret: t.Optional(
      t.String({ description: 'if the hub generated it; shown only once, in this response' }),
    ),
  },
  { title: 'NewChannelAnswer' },
);
export type MadeChannel = Static<typeof MadeChannel>;

/** Nothing of it, if it cannot be read. */
function shownTarget({ kind, target }: Channel): ReturnType<typeof maskTarget> {
  try {
    return maskTarget(kind, target());
  } catch (error) {
    if (error instanceof Failure) return {};
    throw error;
  }
}

const EMPTY: Backlog = { waiting: 0, failing: null };

/** @param backlogs by channel */
export function viewChannel(channel: Channel, backlogs: ReadonlyMap<number, Backlog>) {
  const { waiting, failing } = backlogs.get(channel.id) ?? EMPTY;
  return {
    ...channel,
    events: [...channel.events],
    target: shownTarget(channel),
    createdAt: channel.createdAt.toISOString(),
    updatedAt: channel.updatedAt.toISOString(),
    waiting,
    failing: failing && { ...failing, since: failing.since.toISOString() },
  };
}
