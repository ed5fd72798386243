/** How many problems there are, beside an entry of the menu. */
import { count } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import { levelOf } from './problems.ts';

export function ProblemCount() {
  const { status, offline } = useHub();
  const problems = status?.problems ?? [];
  if (offline || problems.length === 0) return null;
  return (
    <span class={`problem-count problem-count-${levelOf(problems)}`}>
      {count(problems.length)}
      <span class="visually-hidden">{problems.length === 1 ? ' problem' : ' problems'}</span>
    </span>
  );
}
