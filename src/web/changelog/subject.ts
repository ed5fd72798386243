/** What an entry of the changelog changes. Pure. */
import type { Entry } from '../lib/types.ts';

/** Recorded by the hub as the domain of changes to the preamble. */
export const PREAMBLE = '(preamble)';

/** What an entry changes; `name` is a site's domain, and empty for the common preamble. */
export type Subject = { kind: 'site' | 'policy' | 'proxy' | 'preamble'; name: string };

/** `agent` is the API's word for a proxy. */
const KINDS = { policy: 'policy', agent: 'proxy', preamble: 'preamble' } as const;

/** Reads what the hub recorded as the domain. */
export function subjectIn(domain: string): Subject {
  const [, word, name = ''] = /^\((policy|agent|preamble)(?: (.*))?\)$/.exec(domain) ?? [];
  const known = word === 'policy' || word === 'agent' || word === 'preamble';
  return known ? { kind: KINDS[word], name } : { kind: 'site', name: domain };
}

/** Whether it cannot be undone: a proxy that was removed has to be invited again. */
export const isFinal = ({ domain }: Pick<Entry, 'domain'>): boolean =>
  subjectIn(domain).kind === 'proxy';

/** What was changed: `the preamble`, `the policy NAME` or a site's domain. */
export function subjectOf(domain: string): string {
  const { kind, name } = subjectIn(domain);
  if (kind === 'site') return name;
  if (kind === 'preamble') return name === '' ? 'the preamble' : `the preamble of ${name}`;
  return `the ${kind} ${name}`;
}

/** For a link to other changes of the same. */
export function kindOf({ domain }: Pick<Entry, 'domain'>): string {
  const { kind } = subjectIn(domain);
  return kind === 'preamble' ? subjectOf(domain) : `this ${kind}`;
}
