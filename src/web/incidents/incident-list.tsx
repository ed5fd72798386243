/** What is or was wrong: each with what it is about, and since when or how long. */
import type { Incident } from '../lib/types.ts';
import { ClockTime, Time } from '../parts/time.tsx';
import { knownWords } from '../status/known.tsx';
import { endOf, subjectOf } from './words.ts';

export const IncidentList = ({ incidents }: { incidents: readonly Incident[] }) => (
  <ul class="entries plain">
    {incidents.map((incident) => (
      <IncidentItem key={incident.id} incident={incident} />
    ))}
  </ul>
);

export function IncidentItem({ incident }: { incident: Incident }) {
  const { level, message, beganAt, overAt, flapping, known } = incident;
  const { name, to } = subjectOf(incident);
  return (
    <li>
      <span
        class={`lamp lamp-${overAt === null && !known ? level : 'unknown'}`}
        aria-hidden="true"
      />
      <div>
        <strong>
          {to === null ? (
            name
          ) : (
            <a class="name" href={to}>
              {name}
            </a>
          )}
        </strong>{' '}
        {flapping && <span class="tag tag-warn">flapping</span>}{' '}
        {known && <span class="tag">{knownWords(known)}</span>}
        <p>{message}</p>
        <p class="muted">
          {overAt === null ? (
            <>
              began <Time at={beganAt} />
            </>
          ) : (
            <>
              <ClockTime at={beganAt} />, {endOf(incident, overAt)}
            </>
          )}
        </p>
      </div>
    </li>
  );
}
