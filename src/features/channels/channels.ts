/** The channels in the database. */
import { asc, count, eq, isNull, sql } from 'drizzle-orm';
import type { HubCore } from '../../hub/core.ts';
import { inTransaction } from '../../hub/db/open.ts';
import type { Sealing } from '../../hub/db/sealing.ts';
import type { EventName, QuietHours } from '../../shared/events.ts';
import { Failure } from '../../shared/failure.ts';
import { assertKind, checkedName, checkedQuiet } from './checks.ts';
import type { Target } from './kinds/kind.ts';
import type { ChannelKind } from './kinds/kinds.ts';
import { tryNow } from './outbox.ts';
import { channels, messages } from './tables.ts';
import { generated, readTarget, type TargetInput } from './target.ts';

export type Channel = Readonly<{
  id: number;
  name: string;
  kind: ChannelKind;
  /** @throws Failure SECRET_KEY_UNUSABLE */
  target: () => Target;
  /** Empty: all. */
  events: readonly EventName[];
  quiet: QuietHours | null;
  enabled: boolean;
  createdAt: Date;
  updatedAt: Date;
}>;

type Row = typeof channels.$inferSelect;

/** As what the target of a channel is sealed. */
const ofTarget = (id: number): string => `channels ${id} target`;

/** As it is stored; its target is opened only where it is needed. */
export const channelOf = (row: Row, { open }: Pick<Sealing, 'open'>): Channel => ({
  ...row,
  kind: row.kind as ChannelKind,
  target: () => JSON.parse(open(row.target, ofTarget(row.id))),
});

/** Of the messages that a channel has not got yet. */
export type Backlog = Readonly<{
  waiting: number;
  /** Since the oldest that could not be delivered; `detail` says why. */
  failing: Readonly<{ since: Date; detail: string }> | null;
}>;

/** One that is left out stays as it is. */
type ChannelInput = Partial<Pick<Channel, 'name' | 'kind' | 'enabled' | 'events' | 'quiet'>> & {
  target?: TargetInput;
};
type NewChannelInput = ChannelInput & { name: string; kind: ChannelKind; target: TargetInput };
/** `id`: the channel that keeps what is left out of the target; without, it is a new one. */
type DraftInput = Pick<NewChannelInput, 'name' | 'kind' | 'target'> & { id?: number };

/** What a message to a channel takes. */
export type Destination = Pick<Channel, 'kind' | 'target' | 'quiet'>;

export type Channels = {
  /** In the order in which they were created. */
  list(): Channel[];
  /** @throws Failure NOT_FOUND */
  get(id: number): Channel;
  /**
   * @returns the secret too, if the hub made one
   * @throws Failure INVALID_REQUEST, SECRET_KEY_UNUSABLE
   */
  create(input: NewChannelInput): { channel: Channel; secret?: string };
  /** @throws Failure NOT_FOUND, INVALID_REQUEST, SECRET_KEY_UNUSABLE */
  update(id: number, input: ChannelInput): Channel;
  /**
   * A channel as `create` or `update` would make it; nothing is stored.
   * @throws Failure NOT_FOUND, INVALID_REQUEST, SECRET_KEY_UNUSABLE
   */
  draft(input: DraftInput): Destination & { name: string };
  /** With its messages. @throws Failure NOT_FOUND */
  remove(id: number): void;
  /** The enabled ones that do not accept what waits for them. */
  failing(): { name: string; since: Date; detail: string }[];
  /** By channel; one without messages that wait is missing. */
  backlogs(): ReadonlyMap<number, Backlog>;
};

const MOST = 20;

export function createChannels({
  db,
  sealing,
  now,
}: Pick<HubCore, 'db' | 'sealing' | 'now'>): Channels {
  const seal = (id: number, target: Target) => sealing.seal(JSON.stringify(target), ofTarget(id));

  function get(id: number): Channel {
    const found = db.select().from(channels).where(eq(channels.id, id)).get();
    if (found) return channelOf(found, sealing);
    throw new Failure('NOT_FOUND', 'There is no such channel.');
  }

  const list = (): Channel[] =>
    db
      .select()
      .from(channels)
      .orderBy(asc(channels.id))
      .all()
      .map((row) => channelOf(row, sealing));

  return {
    list,
    get,

    create({ kind, enabled = true, events = [], quiet = null, ...input }) {
      const name = checkedName(input.name);
      const made = generated(kind, input.target);
      const target = readTarget(kind, { ...input.target, ...made }, null);
      const at = now();
      const values = {
        // Sealed below, for it is bound to the id.
        name,
        kind,
        target: Buffer.alloc(0),
        enabled,
        events: [...new Set(events)],
        quiet: checkedQuiet(quiet),
        createdAt: at,
        updatedAt: at,
      };
      const channel = inTransaction(db, (tx) => {
        const known = tx.select({ known: count() }).from(channels).get()?.known ?? 0;
        if (known >= MOST) {
          throw new Failure('INVALID_REQUEST', `There are at most ${MOST} channels.`);
        }
        const { id } = tx.insert(channels).values(values).returning().get();
        const sealed = { target: seal(id, target) };
        return tx.update(channels).set(sealed).where(eq(channels.id, id)).returning().get();
      });
      return { channel: channelOf(channel, sealing), ...made };
    },

    update(id, input) {
      const { kind, target } = get(id);
      assertKind(kind, input.kind);
      const values = {
        ...(input.name !== undefined && { name: checkedName(input.name) }),
        ...(input.enabled !== undefined && { enabled: input.enabled }),
        ...(input.events !== undefined && { events: [...new Set(input.events)] }),
        ...(input.quiet !== undefined && { quiet: checkedQuiet(input.quiet) }),
        ...(input.target !== undefined && {
          target: seal(id, readTarget(kind, input.target, target())),
        }),
      };
      if (Object.keys(values).length === 0) return get(id);
      const time = now();
      inTransaction(db, (tx) => {
        tx.update(channels)
          .set({ ...values, updatedAt: time })
          .where(eq(channels.id, id))
          .run();
        tryNow(tx, id, time);
      });
      return get(id);
    },

    draft({ id, kind, ...input }) {
      const name = checkedName(input.name);
      const stored = id === undefined ? null : get(id);
      if (stored) assertKind(stored.kind, kind);
      const made = stored ? {} : generated(kind, input.target);
      const target = readTarget(kind, { ...input.target, ...made }, stored?.target() ?? null);
      return { name, kind, target: () => target, quiet: null };
    },

    remove(id) {
      get(id);
      db.delete(channels).where(eq(channels.id, id)).run();
    },

    failing() {
      const all = backlogs();
      return list().flatMap(({ id, name, enabled }) => {
        const failing = all.get(id)?.failing;
        return enabled && failing ? { name, ...failing } : [];
      });
    },

    backlogs,
  };

  function backlogs() {
    const rows = db
      .select({
        id: messages.channelId,
        waiting: count(),
        since: sql<
          number | null
        >`min(CASE WHEN ${messages.error} IS NOT NULL THEN ${messages.at} END)`,
        // Of the row with that minimum, as SQLite has it.
        detail: messages.error,
      })
      .from(messages)
      .where(isNull(messages.sentAt))
      .groupBy(messages.channelId)
      .all();
    return new Map(
      rows.map(({ id, waiting, since, detail }) => [
        id,
        {
          waiting,
          failing: since === null ? null : { since: new Date(since), detail: detail ?? '' },
        },
      ]),
    );
  }
}
