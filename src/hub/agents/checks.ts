/** Asks an agent to check sites. */
import { AT_ONCE, type ChecksRequest, LEAST_MS, ONCE_MS, WITHIN } from '../../shared/wire-check.ts';

/** Milliseconds for everything else that the agent does. */
const MARGIN_MS = 10_000;

/** Milliseconds that the answer to a request may take: what is not asked at once is asked after the others. */
export function checksDeadline({ checks, once = false }: ChecksRequest): number {
  const rounds = Math.ceil(checks.length / AT_ONCE);
  const longest = Math.max(0, ...checks.map(({ check }) => check?.within ?? WITHIN));
  const asking = once ? rounds * ONCE_MS : longest * 1_000 + rounds * LEAST_MS;
  return asking + MARGIN_MS;
}
