/** `/deliveries`: the latest messages, and what became of them. */
import { Elysia, type Static, t } from 'elysia';
import type { ApiCore } from '../../hub/core.ts';
import { route } from '../../hub/http/route.ts';
import { Timestamp } from '../../hub/http/schemas.ts';
import { EVENT_NAMES } from '../../shared/events.ts';
import { integer } from '../../shared/integer.ts';
import { type DeliveryRow, latestDeliveries } from './deliver.ts';
import { oneOf } from './schema.ts';

const DeliveryView = t.Object(
  {
    id: integer(),
    channel: t.Object({ id: integer(), name: t.String() }),
    state: t.UnionEnum(['began', 'over', 'flapping', 'test']),
    event: oneOf([...EVENT_NAMES, null], { description: 'null for a test' }),
    about: t.String({ description: 'a domain or an agent; empty for the hub' }),
    level: t.UnionEnum(['bad', 'warn']),
    message: t.String(),
    at: Timestamp,
    outcome: t.UnionEnum(['waiting', 'sent', 'failed'], {
      description: 'failed: there is no further attempt',
    }),
    attempts: integer(),
    dueAt: t.String({
      ...Timestamp,
      description: 'not sent before this time, for example because of quiet hours',
    }),
    sentAt: t.Union([Timestamp, t.Null()]),
    error: t.Union([t.String(), t.Null()], { description: 'why the last attempt failed' }),
    digest: t.Union([t.String(), t.Null()], {
      description: 'the same for messages sent as a digest',
    }),
  },
  { title: 'Delivery' },
);
export type DeliveryView = Static<typeof DeliveryView>;

const DELIVERY = {
  id: 1,
  channel: { id: 1, name: 'Phone' },
  state: 'began',
  event: 'upstream.down',
  about: 'app.example.org',
  level: 'bad',
  message: 'The upstream 127.0.0.1:8080 does not answer: connection refused.',
  at: '2026-11-20T18:00:00.000Z',
  outcome: 'sent',
  attempts: 1,
  dueAt: '2026-11-20T18:00:00.000Z',
  sentAt: '2026-11-20T18:00:01.000Z',
  error: null,
  digest: null,
};

function stateOf({ sentAt, error }: DeliveryRow) {
  if (sentAt === null) return 'waiting';
  return error === null ? 'sent' : 'failed';
}

const view = (row: DeliveryRow) => {
  const { at, dueAt, sentAt } = row;
  const outcome = stateOf(row);
  return {
    ...row,
    outcome,
    at: at.toISOString(),
    dueAt: dueAt.toISOString(),
    sentAt: outcome === 'sent' ? (sentAt?.toISOString() ?? null) : null,
  } as const;
};

export function deliveryRoutes({ db, sessionGuard }: ApiCore) {
  return new Elysia({ name: 'deliveries', prefix: '/deliveries' }).use(sessionGuard).get(
    '/',
    () => latestDeliveries(db).map(view),
    route({
      id: 'listDeliveries',
      tag: 'Notifications',
      summary: 'List the latest 100 messages with their delivery status, newest first',
      access: 'session',
      needs: 'owner',
      returns: t.Array(DeliveryView),
      example: [DELIVERY],
    }),
  );
}
