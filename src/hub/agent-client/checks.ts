/** Asks an agent to check sites. */
import { Failure } from '../../shared/failure.ts';
import { type ChecksRequest, WITHIN } from '../../shared/wire-check.ts';

/** Checks that an agent runs at once; each of the others has another second, or two with `once`. */
const AT_ONCE = 64;
/** Milliseconds for everything else that the agent does. */
const MARGIN_MS = 10_000;

/** Milliseconds that the answer to a request may take. */
export function checksDeadline({ checks, once = false }: ChecksRequest): number {
  const rounds = Math.ceil(checks.length / AT_ONCE);
  const longest = Math.max(0, ...checks.map(({ check }) => check?.within ?? WITHIN));
  return (once ? 2 * rounds : longest + rounds) * 1_000 + MARGIN_MS;
}

/** An agent of an earlier version has no route for checks. */
export const cannotCheck = (): Failure =>
  new Failure('CHECK_FAILED', 'This agent cannot check yet; nothing was changed.', {
    detail: 'its version is older than the hub’s and does not know checks',
    hint: 'Update this agent, or leave out the check.',
  });
