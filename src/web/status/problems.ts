/** What the hub's status says that an operator has to know, worst first. Pure. */
import { plural } from '../lib/format.ts';
import type { Status } from '../lib/types.ts';

export type Problem = {
  level: 'bad' | 'warn';
  title: string;
  text: string;
  link?: { to: string; label: string };
};

export function problemsOf(status: Status): Problem[] {
  const problems: Problem[] = [];
  const bad = (title: string, text: string, link?: Problem['link']) =>
    problems.push({ level: 'bad', title, text, ...(link ? { link } : {}) });
  const warn = (title: string, text: string, link?: Problem['link']) =>
    problems.push({ level: 'warn', title, text, ...(link ? { link } : {}) });

  if (!status.agent.reachable) {
    bad(
      'The agent does not answer',
      'Sites are served as before, but no change can be made until it is back.',
    );
  } else if (!status.proxy.running) {
    bad('Caddy is not running', 'No site is served.');
  } else if (status.foreign) {
    warn(
      'Caddy serves sites of somebody else',
      'The first change would replace them. Import them before.',
      { to: '/import', label: 'Import' },
    );
  } else if (!status.inStep) {
    warn('Not in step', 'Caddy serves something else than is stored; it is being published again.');
  }
  for (const { id, domain, detail } of status.broken) {
    bad(`${domain} is refused by the proxy`, detail, { to: `/sites/${id}`, label: 'Mend it' });
  }
  for (const { id, name, daysLeft, overdue } of status.certificates) {
    if (!overdue && daysLeft >= 0) continue;
    const level = daysLeft < 0 ? bad : warn;
    level(
      daysLeft < 0
        ? `The certificate of ${name} has expired`
        : `The certificate of ${name} expires in ${plural(daysLeft, 'day')}`,
      'Nothing has renewed it.',
      { to: `/sites/${id}`, label: 'See why' },
    );
  }
  if (status.drift) {
    warn(
      'The Caddyfile on disk was changed by hand',
      'The next change replaces it; a copy of it will be kept.',
    );
  }
  if (status.restartNeeded) {
    warn('Caddy should be restarted', 'A start that failed may have left ports open.');
  }
  for (const warning of status.warnings) warn('Warning', warning);
  return problems;
}
