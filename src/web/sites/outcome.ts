/** What to say after a change of a site: whether it is live, and what a visitor would notice. Pure. */
import type { Flash } from '../lib/flash.ts';
import type { ChangedVhost } from '../lib/types.ts';

/**
 * `a.example is live, but 127.0.0.1:80 does not answer: connection refused.`
 * @param done what has been done, without its full stop
 */
export function outcomeOf(done: string, { warnings, behind = [] }: ChangedVhost): Flash {
  const messages = [
    ...behind.map((name) => `not on ${name} yet`),
    ...warnings.map(({ message }) => message.replace(/\.$/, '')),
  ];
  if (messages.length === 0) return { kind: 'success', text: `${done}.` };
  return { kind: 'warning', text: `${done}, but ${messages.join('; ')}.` };
}
