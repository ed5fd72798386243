/** `/incidents`: what broke on its own; `/events`: what can. */
import { Elysia, t } from 'elysia';
import { EVENT_NAMES, EVENTS } from '../../shared/events.ts';
import { isViewer } from '../auth/guard.ts';
import { route } from '../http/route.ts';
import { incidentForViewers } from '../watch/for-viewers.ts';
import { IncidentView, listIncidents } from '../watch/incidents/incidents.ts';
import type { ApiContext } from './context.ts';

export const Event = t.Object(
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
      route({
        id: 'listIncidents',
        tag: 'Notifications',
        summary: 'List the incidents, newest first, at most 100',
        description: 'A problem of the status is an incident once it has lasted for ten seconds.',
        access: 'read',
        query: t.Object({
          open: t.Optional(
            t.Union([t.Literal('true'), t.Literal('false'), t.Literal('')], {
              description: '`true`: only unresolved ones.',
              example: 'true',
            }),
          ),
        }),
        returns: t.Array(IncidentView),
        example: [INCIDENT],
      }),
    )
    .get(
      '/events',
      () => EVENT_NAMES.map((event) => ({ event, meaning: EVENTS[event] })),
      route({
        id: 'listEvents',
        tag: 'Notifications',
        summary: 'List the events that a channel can get, with their meanings',
        access: 'read',
        returns: t.Array(Event),
        example: [{ event: 'upstream.down', meaning: EVENTS['upstream.down'] }],
      }),
    );
}
