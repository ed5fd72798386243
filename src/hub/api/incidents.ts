/** `/incidents`: what broke by itself; `/events`: what can. */
import { Elysia, t } from 'elysia';
import { EVENT_NAMES, EVENTS } from '../../shared/events.ts';
import type { Guard } from '../auth/guard.ts';
import type { Db } from '../db/open.ts';
import { about } from '../http/about.ts';
import { READS, refusals } from '../http/refusal-schemas.ts';
import { Timestamp } from '../http/schemas.ts';
import { type IncidentView, listIncidents } from '../watch/incidents/incidents.ts';

const Incident = t.Object(
  {
    id: t.Integer(),
    event: t.UnionEnum(EVENT_NAMES),
    vhost: t.Optional(
      t.Object(
        { id: t.Integer(), domain: t.String({ description: 'as it was when the incident began' }) },
        { description: 'if it is about one' },
      ),
    ),
    agent: t.Optional(
      t.String({ description: 'if it is about one, and the hub had several when it began' }),
    ),
    level: t.UnionEnum(['bad', 'warn'], { description: '`bad`: it affects visitors or changes' }),
    message: t.String({ description: 'for people: the cause, and the fix if there is one' }),
    beganAt: Timestamp,
    overAt: t.Union([Timestamp, t.Null()], { description: 'null while it is open' }),
    flapping: t.Boolean({
      description: 'it began so often that it counts as resolved only after ten minutes without it',
    }),
  },
  { title: 'Incident' },
);
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

export function incidentRoutes({ db, guard }: { db: Db; guard: Guard }) {
  return new Elysia({ name: 'incidents' })
    .use(guard)
    .get('/incidents', ({ query }) => listIncidents(db, query.open === 'true'), {
      query: t.Object({
        open: t.Optional(t.Union([t.Literal('true'), t.Literal('false'), t.Literal('')])),
      }),
      response: { 200: t.Array(Incident), ...refusals(...READS) },
      detail: about({
        id: 'listIncidents',
        tag: 'Notifications',
        summary: 'List the incidents, newest first, at most 100',
        description: 'A problem of the status is an incident once it has lasted for ten seconds.',
        access: 'read',
        params: { open: { description: '`true`: only unresolved ones.', example: 'true' } },
        example: [INCIDENT],
      }),
    })
    .get('/events', () => EVENT_NAMES.map((event) => ({ event, meaning: EVENTS[event] })), {
      response: { 200: t.Array(Event), ...refusals(...READS) },
      detail: about({
        id: 'listEvents',
        tag: 'Notifications',
        summary: 'List the events that a channel can get, with their meanings',
        access: 'read',
        example: [{ event: 'upstream.down', meaning: EVENTS['upstream.down'] }],
      }),
    });
}
