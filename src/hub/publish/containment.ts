/** Whether all that a plan changes stays in its own blocks. Pure. */
import { Failure } from '../../shared/failure.ts';
import type { Plan } from './changes.ts';
import { assertContained, type Dialect } from './vhost.ts';

/** Also what a preamble changes for the others: a snippet that goes leaves a file's import behind. */
export function assertAllContained({ next, steps }: Plan<unknown>, dialect: Dialect): void {
  const preambleChanges = steps.some(({ kind }) => kind === 'preamble');
  const after = steps.flatMap((step) => (step.kind === 'vhost' && step.after ? [step.after] : []));
  const others = preambleChanges ? next.vhosts.filter(({ enabled }) => enabled) : [];
  const alone = !preambleChanges && after.length === 1;
  for (const vhost of new Set([...after, ...others])) {
    try {
      assertContained(vhost, next.preamble, dialect);
    } catch (error) {
      if (alone || !(error instanceof Failure)) throw error;
      const detail = `in ${vhost.domain}, ${error.detail ?? ''}`;
      throw new Failure(error.code, error.message, { detail });
    }
  }
}
