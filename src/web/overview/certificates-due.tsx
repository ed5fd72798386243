/** The certificates that end soon. */
import { localTime, plural } from '../lib/format.ts';
import type { Status } from '../lib/types.ts';

/** What `certificates` of the status covers. */
const WITHIN_DAYS = 14;

export function CertificatesDue({ status }: { status: Status }) {
  const { certificates, agent, proxy } = status;
  if (certificates.length === 0) {
    const isKnown = agent.reachable && proxy.running;
    return (
      <p class="muted">
        {isKnown
          ? `No certificate expires within ${WITHIN_DAYS} days.`
          : 'Not known while Caddy cannot be asked.'}
      </p>
    );
  }
  return (
    <ul class="lines">
      {certificates.map(({ id, name, daysLeft, notAfter, overdue }) => (
        <li key={`${id} ${name}`}>
          <a href={`/sites/${id}`}>{name}</a>
          <span class={overdue ? 'over' : 'muted'} title={localTime(notAfter)}>
            {daysLeft < 0 ? 'expired' : plural(daysLeft, 'day')}
            {overdue && daysLeft >= 0 && ', not renewed'}
          </span>
        </li>
      ))}
    </ul>
  );
}
