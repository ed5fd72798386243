/** Meets an agent for the first time: proves the secret of its invitation, hands over its token. */
import { FAILURES, Failure } from '../../shared/failure.ts';
import type { Invitation } from '../../shared/invitation.ts';
import type { EnrolRequest } from '../../shared/wire/protocol.ts';
import { askPlainly, bytesOf, parseAnswer, unreachable } from './answer.ts';
import { DEADLINE_MS, SMALL_ANSWER } from './bounds.ts';
import { createAgentTls } from './trust.ts';

type Enrolling = Omit<Required<EnrolRequest>, 'secret'>;

const NOBODY_THERE = 'No agent with this invitation answers at its address.';

/**
 * Resolves once the agent has stored the token. Nothing is sent before its certificate is known to be
 * the invitation's.
 * @throws Failure INVITATION_INVALID, IMPORT_FIRST, AGENT_UNREACHABLE
 */
export async function enrol(
  { url, fingerprint, secret }: Invitation,
  request: Enrolling,
): Promise<void> {
  const response = await send().catch((cause: unknown) => {
    // In one sentence, whatever it was: an invitation may name any address, and nobody is to learn
    // from the hub what listens there.
    throw unreachable(NOBODY_THERE, cause);
  });
  if (response.ok) return;
  if (response.status === FAILURES.INVITATION_INVALID.status) {
    throw new Failure('INVITATION_INVALID', FAILURES.INVITATION_INVALID.meaning);
  }
  const { code, message } = (response.body ?? {}) as { code?: unknown; message?: unknown };
  if (code === 'IMPORT_FIRST') throw new Failure(code, FAILURES.IMPORT_FIRST.meaning);
  if (message === undefined) throw unreachable(NOBODY_THERE, response.status);
  throw new Failure('AGENT_UNREACHABLE', 'The agent could not be enrolled.', {
    detail: String(message),
  });

  async function send(): Promise<{ ok: boolean; status: number; body: unknown }> {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    if (!url.startsWith('https:')) throw new Error('an invitation needs an https:// address');
    const tls = await createAgentTls(url, { fingerprint })(signal);
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ secret, ...request }),
      signal,
    };
    const answer = await askPlainly(`${url}/enrol`, init, tls);
    const { ok, status } = answer;
    return { ok, status, body: parseAnswer(await bytesOf(answer, SMALL_ANSWER)) };
  }
}
