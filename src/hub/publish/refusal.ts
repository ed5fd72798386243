/** Refusals in terms of what the caller asked for. Pure. */
import { Failure } from '../../shared/failure.ts';
import { type Step, vhostAfter } from './changes.ts';

export const isRejection = (error: unknown): error is Failure =>
  error instanceof Failure && error.code === 'PROXY_REJECTED';

/**
 * Leaves out what a caller who sent one text knows already: that a fault is in that text. Anyone who
 * changed several vhosts, or something else, learns which vhost it is, and gets no line that could
 * be taken for one of their own text.
 */
export function addressed<T>(error: T, steps: readonly Step[]): T | Failure {
  if (!(error instanceof Failure)) return error;
  const { vhost, preamble } = error.at;
  if (preamble && steps.some(({ kind }) => kind === 'preamble')) {
    return error.about({ ...error.at, line: preamble.line });
  }
  const isOwn =
    vhost && steps.length === 1 && steps.some((step) => vhostAfter(step)?.id === vhost.id);
  return isOwn ? ofVhost(error) : error;
}

/** A refusal shown beside the name of its vhost. */
export const ofVhost = (failure: Failure): Failure => {
  const { vhost, ...rest } = failure.at;
  return failure.about(vhost ? { ...rest, line: vhost.line } : rest);
};
