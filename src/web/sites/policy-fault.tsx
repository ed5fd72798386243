/** Leads to the policy that made a change be refused. */
import type { Policy } from '../lib/types.ts';

type Props = {
  fault: { name: string; field?: string | null | undefined };
  /** For the address of the one at fault. */
  policies: readonly Policy[];
};

export function PolicyFault({ fault: { name, field }, policies }: Props) {
  const policy = policies.find((one) => one.name === name);
  return (
    <p>
      See {field ? `the field ${field} of ` : ''}the policy{' '}
      <a href={policy ? `/policies/${policy.id}` : '/policies'}>{name}</a>.
    </p>
  );
}
