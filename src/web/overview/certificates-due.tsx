/** The certificates that end soon. */
import { localTime, plural } from '../lib/format.ts';
import type { Status } from '../lib/types.ts';

/** What `certificates` of the status covers. */
const WITHIN_DAYS = 14;

/** One with hours left that is not overdue is short-lived, such as Caddy's own, and never due. */
const isDue = ({ overdue, daysLeft }: Status['certificates'][number]): boolean =>
  overdue || daysLeft >= 1;

export function CertificatesDue({ status }: { status: Status }) {
  const { agent, proxy } = status;
  const certificates = status.certificates.filter(isDue);
  if (certificates.length === 0) {
    const isKnown = agent.reachable && proxy.running;
    return (
      <p class="muted">
        {isKnown
          ? `No certificate is due within ${WITHIN_DAYS} days.`
          : 'Unknown while Caddy is unreachable.'}
      </p>
    );
  }
  return (
    <ul class="lines">
      {certificates.map(({ id, name, daysLeft, notAfter, overdue, agent }) => (
        <li key={`${id} ${name} ${agent}`}>
          <a href={`/sites/${id}`}>{name}</a>
          <span class={overdue ? 'over' : 'muted'} title={localTime(notAfter)}>
            {daysLeft < 0 ? 'expired' : plural(daysLeft, 'day')}
            {overdue && daysLeft >= 0 && ', not renewed'}
            {agent && ` on ${agent}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
