/** Calls an agent: one request, one answer, and a Failure for anything else. */
import type { Static, TSchema } from 'elysia';
import { every } from '../../shared/every.ts';
import { Failure } from '../../shared/failure.ts';
import { joinedIds, REQUEST_ID } from '../../shared/observe/requests.ts';
import { Health, PROTOCOL, PROTOCOL_HEADER } from '../../shared/wire/protocol.ts';
import { askPlainly, bytesOf, checked, NO_ANSWER, unreachable } from './answer.ts';
import { DEADLINE_MS, SMALL_ANSWER, STATUS_DEADLINE_MS } from './bounds.ts';
import { type AgentTrust, createAgentTls } from './trust.ts';

export type AgentClientDeps = {
  /** Where the agent listens, `http://127.0.0.1:3002`. */
  url: string;
  /** A function is asked at each request, so that a rotation needs no new client. */
  token: string | (() => string);
  /** Which certificate to trust; null: any that a public authority signed. */
  trust?: AgentTrust | null;
  /** Whether to give up on the agent as soon as it stops answering, and not only after `deadline`. */
  isWatched?: () => boolean;
  /** Milliseconds to wait for a publish; longer than the agent's own 30 s towards Caddy. */
  deadline?: number;
  /** The id of the hub's database, by which the agent knows whom it obeys. */
  hub?: string;
  /** How often that database was promoted, plus one; of two copies, the agent obeys the higher. */
  term?: () => number;
  /** How many sites the hub has, or is publishing: the more, the more an agent may say of them. */
  countSites?: () => number;
};

type Answer = { ok: boolean; bytes: Uint8Array };

/**
 * `deadline`: milliseconds; `limit`: bytes of the answer, asked for when it comes; `headers`: with the protocol
 * that the request needs, if it is not the first; `signal`: of a call that waits for something to happen, and
 * so is not watched.
 */
type Init = {
  body?: unknown;
  deadline?: number;
  limit?: number | (() => number);
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

export type Calls = {
  /** @throws as `askPlainly`, and if the agent presents a different certificate */
  request(path: string, init: RequestInit & { headers?: object }): Promise<Response>;
  /** @throws Failure AGENT_UNREACHABLE */
  answerTo(path: string, init: Init): Promise<Answer>;
  /** @throws Failure if the answer is a refusal, or does not have the schema */
  call<T extends TSchema>(schema: T, path: string, init?: Init): Promise<Static<T>>;
  /** Whether the last call was not answered, and none has been since. */
  isSilent(): boolean;
  /** Whether the agent answers within `deadline` milliseconds. Never rejects. */
  answers(deadline: number): Promise<boolean>;
  /** Gives up on a call that is under way, if the agent is watched. @returns a function that ends it */
  watch(call: AbortController): () => void;
};

/** Long enough for `/health` of an agent that is busy. */
const ASK_FIRST_MS = 2_000;
/** Between two questions whether it still answers, and for an answer: far less than a call may take. */
const PULSE_EVERY_MS = 1_000;
const PULSE_ANSWER_MS = 2_500;

export function createCalls(deps: AgentClientDeps): Calls {
  const { url, trust = null, deadline = DEADLINE_MS } = deps;
  const tlsOf = trust && url.startsWith('https:') ? createAgentTls(url, trust) : null;
  const tokenNow = () => (typeof deps.token === 'string' ? deps.token : deps.token());
  /** The last call was not answered: the next one asks first, instead of waiting in vain for long. */
  let isSilent = false;

  async function request(
    path: string,
    init: RequestInit & { headers?: object },
  ): Promise<Response> {
    const tls = tlsOf && (await tlsOf(init.signal));
    const token = tokenNow();
    const headers = {
      Authorization: `Bearer ${token}`,
      [PROTOCOL_HEADER]: String(PROTOCOL),
      ...onBehalf(),
      ...init.headers,
    };
    const response = await askPlainly(`${url}${path}`, { ...init, headers }, tls);
    // A rotation has overtaken it. The agent looks at the token before anything else, so that nothing
    // has been done yet.
    if (response.status === 401 && tokenNow() !== token) return request(path, init);
    return response;
  }

  async function answerTo(path: string, init: Init): Promise<Answer> {
    if (isSilent) await ask('/health', { deadline: ASK_FIRST_MS });
    return ask(path, init);
  }

  async function ask(path: string, init: Init): Promise<Answer> {
    const stopping = new AbortController();
    const isLong = (init.deadline ?? deadline) > STATUS_DEADLINE_MS / 2;
    const stop = () => stopping.abort();
    if (init.signal?.aborted) stop();
    // A signal made of one that lives long would never be freed.
    init.signal?.addEventListener('abort', stop);
    const endPulse = isLong && !init.signal ? watch(stopping) : () => {};
    try {
      const response = await request(path, {
        method: init.body === undefined ? 'GET' : 'POST',
        headers: { 'Content-Type': 'application/json', ...init.headers },
        ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(init.deadline ?? deadline)]),
      });
      const { limit = SMALL_ANSWER } = init;
      const bytes = await bytesOf(response, typeof limit === 'number' ? limit : limit());
      isSilent = false;
      return { ok: response.ok, bytes };
    } catch (cause) {
      // It answers, but not as it should.
      if (cause instanceof Failure) {
        isSilent = false;
        throw cause;
      }
      if (!init.signal?.aborted) isSilent = true;
      throw unreachable(NO_ANSWER, cause);
    } finally {
      endPulse();
      init.signal?.removeEventListener('abort', stop);
    }
  }

  const watch = (call: AbortController): (() => void) =>
    deps.isWatched?.() ? startPulse(answers, () => call.abort()) : () => {};

  const answers = (deadline: number): Promise<boolean> =>
    ask('/health', { deadline })
      .then(({ ok, bytes }) => checked(Health, ok, bytes))
      .then(
        () => true,
        () => false,
      );

  async function call<T extends TSchema>(
    schema: T,
    path: string,
    init: Init = {},
  ): Promise<Static<T>> {
    const { ok, bytes } = await answerTo(path, init);
    return checked(schema, ok, bytes);
  }

  return { request, answerTo, call, isSilent: () => isSilent, answers, watch };
}

/**
 * Asks every second whether the agent still answers, until the returned function is called.
 * @param answers whether it does within so many milliseconds; never rejects
 * @param lost called once, if it does not
 */
function startPulse(answers: (deadline: number) => Promise<boolean>, lost: () => void): () => void {
  let isOver = false;
  const end = () => {
    isOver = true;
    void pulse.end();
  };
  const pulse = every({ pause: PULSE_EVERY_MS, first: PULSE_EVERY_MS }, async () => {
    if ((await answers(PULSE_ANSWER_MS)) || isOver) return;
    end();
    lost();
  });
  pulse.begin();
  return end;
}

/** Names the requests that a call is made for, for the agent's log. */
function onBehalf(): Record<string, string> {
  const ids = joinedIds();
  return ids === undefined ? {} : { [REQUEST_ID]: ids };
}
