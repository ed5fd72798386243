/** Refusals in terms of what the caller sent. Pure. */
import { Failure } from '../../shared/failure.ts';
import type { Step } from './changes.ts';
import type { Vhost } from './vhost.ts';

export const isRejection = (error: unknown): error is Failure =>
  error instanceof Failure && error.code === 'PROXY_REJECTED';

/** The set as a whole is too large for the agent: no line and no vhost of it is at fault. */
export const isTooLarge = (error: unknown): boolean =>
  isRejection(error) && error.cause === 'BODY_TOO_LARGE';

/** Whether an agent, or its proxy, could not be asked. */
export const isAway = (error: unknown): error is Failure =>
  error instanceof Failure &&
  (error.code === 'AGENT_UNREACHABLE' || error.code === 'PROXY_UNREACHABLE');

/** A vhost that the proxy refuses, and why; `byLoad` if a validation does not show it. */
export type BrokenVhost = { vhost: Vhost; failure: Failure; byLoad?: true };

/** `unexamined`: the vhosts that there was no time for; one of them at least is refused. */
export type Findings = { broken: BrokenVhost[]; unexamined: Vhost[] };

/**
 * An error as the caller whose change took these steps should get it. If they sent one text and the
 * fault is in it, it carries that text's line and no name. If they changed several vhosts, or the
 * fault is elsewhere, it names the vhost, and has no line that could be mistaken for one of theirs.
 */
export function forCaller<T>(error: T, steps: readonly Step[]): T | Failure {
  if (!(error instanceof Failure)) return error;
  const { vhost, preamble } = error.at;
  if (preamble && steps.some(({ kind }) => kind === 'preamble')) {
    return error.about({ ...error.at, line: preamble.line });
  }
  const [only, ...others] = steps;
  const isOwn =
    only?.kind === 'vhost' && others.length === 0 && only.vhosts.some(({ id }) => id === vhost?.id);
  return isOwn ? ofVhost(error) : error;
}

/** A refusal that is shown next to its vhost's name, and so need not repeat it. */
export const ofVhost = (failure: Failure): Failure => {
  const { vhost, ...rest } = failure.at;
  return failure.about(vhost ? { ...rest, own: vhost, line: vhost.line } : rest);
};
