/** Meets an agent for the first time: proves the secret of its invitation, hands over its token. */
import { messageOf } from '../../shared/async.ts';
import { FAILURES, Failure } from '../../shared/failure.ts';
import type { Invitation } from '../../shared/invitation.ts';
import type { EnrolRequest } from '../../shared/wire/protocol.ts';
import { DEADLINE_MS, NO_ANSWER } from './calls.ts';
import { createAgentTls } from './trust.ts';

export type Enrolling = Omit<Required<EnrolRequest>, 'secret'>;

/** Characters; an answer of an agent has some hundred. Whoever made the invitation chose who answers. */
const LONGEST_ANSWER = 1 << 16;

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
    throw unreachable(NO_ANSWER, messageOf(cause));
  });
  if (response.ok) return;
  if (response.status === FAILURES.INVITATION_INVALID.status) {
    throw new Failure('INVITATION_INVALID', FAILURES.INVITATION_INVALID.meaning);
  }
  const { code, message } = (response.body ?? {}) as { code?: unknown; message?: unknown };
  if (code === 'IMPORT_FIRST') throw new Failure(code, FAILURES.IMPORT_FIRST.meaning);
  throw unreachable('The agent could not be enrolled.', String(message ?? 'invalid response'));

  async function send(): Promise<{ ok: boolean; status: number; body: unknown }> {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const tls = await createAgentTls(url, { fingerprint })(signal);
    if (tls === null) throw new Error('an invitation needs an https:// address');
    const answer = await fetch(`${url}/enrol`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ secret, ...request }),
      redirect: 'error',
      signal,
      tls,
    });
    const { ok, status } = answer;
    return { ok, status, body: JSON.parse(await textOf(answer)) };
  }
}

/** @throws Error if it is too long */
async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > LONGEST_ANSWER) throw new Error('the answer is too long');
  }
  return text;
}

const unreachable = (message: string, detail: string) =>
  new Failure('AGENT_UNREACHABLE', message, { detail });
