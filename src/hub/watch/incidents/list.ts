/** The incidents as the API shows them. */
import { desc, isNull } from 'drizzle-orm';
import { type Static, t } from 'elysia';
import { EVENT_NAMES } from '../../../shared/events.ts';
import type { Db } from '../../db/open.ts';
import { incidents } from '../../db/schema.ts';
import { Timestamp } from '../../http/schemas.ts';
import { vhostIdOf } from './reports.ts';

export const Incident = t.Object(
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
export type Incident = Static<typeof Incident>;

const MOST = 100;

/** At most 100, newest first. */
export const listIncidents = (db: Db, onlyOpen: boolean): Incident[] =>
  db
    .select()
    .from(incidents)
    .where(onlyOpen ? isNull(incidents.overAt) : undefined)
    .orderBy(desc(incidents.id))
    .limit(MOST)
    .all()
    .map(({ id, event, subject, about, level, message, beganAt, overAt, flapping }) => ({
      ...{ id, event, level, message, flapping },
      ...whoOf(subject, about),
      beganAt: beganAt.toISOString(),
      overAt: overAt?.toISOString() ?? null,
    }));

function whoOf(subject: string, about: string): Pick<Incident, 'vhost' | 'agent'> {
  const id = vhostIdOf(subject);
  if (id !== null) return { vhost: { id, domain: about } };
  return about === '' ? {} : { agent: about };
}
