/** The sites that get a policy, and those that lose it. */
import type { Vhost } from '../lib/types.ts';

type Props = { moves: { on: readonly number[]; off: readonly number[] }; sites: readonly Vhost[] };

export function Moves({ moves: { on, off }, sites }: Props) {
  if (on.length + off.length === 0) return null;
  const named = (ids: readonly number[]) =>
    sites
      .filter(({ id }) => ids.includes(id))
      .map(({ domain }) => domain)
      .join(', ');
  return (
    <section class="moves" aria-label="Sites that change" role="status">
      {on.length > 0 && (
        <p>
          <strong>Put on {on.length}:</strong> {named(on)}
        </p>
      )}
      {off.length > 0 && (
        <p>
          <strong>Taken off {off.length}:</strong> {named(off)}
        </p>
      )}
    </section>
  );
}
