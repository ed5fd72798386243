/** Turns the hub's status into the problems an operator must know about. Pure. */
import { plural } from '../lib/format.ts';
import type { Status } from '../lib/types.ts';

export type Problem = {
  level: 'bad' | 'warn';
  title: string;
  text: string;
  link?: { to: string; label: string };
  /** Shown below the text on demand. */
  details?: readonly string[];
};

/** In the order they are shown. */
export function problemsOf(status: Status): Problem[] {
  const problems: Problem[] = [];
  const bad = (title: string, text: string, link?: Problem['link']) =>
    problems.push({ level: 'bad', title, text, ...(link ? { link } : {}) });
  const warn = (title: string, text: string, link?: Problem['link']) =>
    problems.push({ level: 'warn', title, text, ...(link ? { link } : {}) });

  if (!status.agent.reachable) {
    bad(
      'The agent does not answer',
      'Your sites are still served, but you cannot make changes until it is back.',
    );
  } else if (!status.proxy.running) {
    bad('Caddy is not running', 'None of your sites is served.');
  } else if (status.foreign) {
    warn(
      'Caddy serves sites that signalbox does not manage',
      'Your first change would replace them, so import them first.',
      { to: '/import', label: 'Import' },
    );
  } else if (!status.inStep) {
    warn('Not in step', 'Caddy does not serve what is stored. signalbox is publishing it again.');
  }
  for (const { id, domain, detail } of status.broken) {
    bad(`Caddy does not serve ${domain}`, detail, { to: `/sites/${id}`, label: 'Fix it' });
  }
  for (const { id, name, daysLeft, overdue } of status.certificates) {
    if (!overdue && daysLeft >= 0) continue;
    const level = daysLeft < 0 ? bad : warn;
    level(
      daysLeft < 0
        ? `The certificate of ${name} has expired`
        : `The certificate of ${name} expires in ${plural(daysLeft, 'day')}`,
      'It was not renewed.',
      { to: `/sites/${id}`, label: 'See why' },
    );
  }
  if (status.drift) {
    warn(
      'The Caddyfile on disk was changed by hand',
      'Your next change will replace it. signalbox keeps a copy.',
    );
  }
  if (status.restartNeeded) {
    warn('Caddy should be restarted', 'A failed start may have left ports open.');
  }
  if (status.advisories?.length) {
    problems.push({
      level: 'warn',
      title: `Caddy ${status.proxy.version} has ${plural(status.advisories.length, 'known vulnerability', 'known vulnerabilities')}`,
      text: status.upgrade ?? '',
      details: status.advisories.map(
        ({ id, summary, fixedIn }) => `${id}: ${summary} Fixed in ${fixedIn}.`,
      ),
    });
  }
  for (const warning of status.warnings) warn('Warning', warning);
  return problems;
}
