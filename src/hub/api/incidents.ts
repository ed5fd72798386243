/** `/incidents`: what broke on its own; `/events`: what can; `/deliveries`: what was sent of it. */
import { Elysia, t } from 'elysia';
import { EVENT_NAMES, EVENTS } from '../../shared/events.ts';
import { isViewer, type SessionGuard } from '../auth/guard.ts';
import { type DeliveryRow, latestDeliveries } from '../channels/deliver.ts';
import { oneOf } from '../channels/schema.ts';
import type { Db } from '../db/open.ts';
import { about } from '../http/about.ts';
import { READS, refusals, WRITES } from '../http/refusal-schemas.ts';
import { Timestamp } from '../http/schemas.ts';
import { incidentForViewers } from '../watch/for-viewers.ts';
import { IncidentView, listIncidents } from '../watch/incidents/incidents.ts';
import type { ApiContext } from './context.ts';

const Event = t.Object(
  { event: t.UnionEnum(EVENT_NAMES), meaning: t.String() },
  { title: 'Event' },
);

/** An example. */
const INCIDENT: IncidentView = {
  id: 1,
  event: 'upstream.down',
  vhost: { id: 1, domain: 'app.example.org' },
  level: 'bad',
  message: '127.0.0.1:8000 does not answer: connection refused.',
  beganAt: '2026-11-20T18:00:00.000Z',
  overAt: null,
  flapping: false,
};

/** `/incidents` and `/events`. */
export function incidentRoutes({ db, guard, known }: ApiContext) {
  return new Elysia({ name: 'incidents' })
    .use(guard)
    .get(
      '/incidents',
      ({ query, who }) => {
        const found = listIncidents(db, query.open === 'true', known.read());
        return isViewer(who) ? found.map(incidentForViewers) : found;
      },
      {
        query: t.Object({
          open: t.Optional(t.Union([t.Literal('true'), t.Literal('false'), t.Literal('')])),
        }),
        response: { 200: t.Array(IncidentView), ...refusals(...READS) },
        detail: about({
          id: 'listIncidents',
          tag: 'Notifications',
          summary: 'List the incidents, newest first, at most 100',
          description: 'A problem of the status is an incident once it has lasted for ten seconds.',
          access: 'read',
          needs: 'viewer',
          params: { open: { description: '`true`: only unresolved ones.', example: 'true' } },
          example: [INCIDENT],
        }),
      },
    )
    .get('/events', () => EVENT_NAMES.map((event) => ({ event, meaning: EVENTS[event] })), {
      response: { 200: t.Array(Event), ...refusals(...READS) },
      detail: about({
        id: 'listEvents',
        tag: 'Notifications',
        summary: 'List the events that a channel can get, with their meanings',
        access: 'read',
        needs: 'viewer',
        example: [{ event: 'upstream.down', meaning: EVENTS['upstream.down'] }],
      }),
    });
}

const DeliveryView = t.Object(
  {
    id: t.Integer(),
    channel: t.Object({ id: t.Integer(), name: t.String() }),
    state: t.UnionEnum(['began', 'over', 'flapping', 'test']),
    event: oneOf([...EVENT_NAMES, null], { description: 'null for a test' }),
    about: t.String({ description: 'a domain or an agent; empty for the hub' }),
    level: t.UnionEnum(['bad', 'warn']),
    message: t.String(),
    at: Timestamp,
    outcome: t.UnionEnum(['waiting', 'sent', 'failed'], {
      description: 'failed: there is no further attempt',
    }),
    attempts: t.Integer(),
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

/** `/deliveries`: the latest messages, and what became of them. */
export function deliveryRoutes({ db, guard }: { db: Db; guard: SessionGuard }) {
  return new Elysia({ name: 'deliveries', prefix: '/deliveries' })
    .use(guard)
    .get('/', () => latestDeliveries(db).map(view), {
      response: { 200: t.Array(DeliveryView), ...refusals(...WRITES) },
      detail: about({
        id: 'listDeliveries',
        tag: 'Notifications',
        summary: 'List the latest 100 messages with their delivery status, newest first',
        access: 'session',
        needs: 'owner',
        example: [DELIVERY],
      }),
    });
}
