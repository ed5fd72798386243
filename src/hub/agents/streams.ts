/** The streams of an agent, each for one reader. */
import { createEndableStreams, type EndableStreams, within } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import { bytesOf, NO_ANSWER, parseAnswer, refusalOf, unreachable } from './answer.ts';
import { SMALL_ANSWER } from './bounds.ts';
import type { Calls } from './calls.ts';

/** Who reads a stream. */
export type StreamReader = {
  /** Whether they still may; if not, the stream ends. */
  mayRead(): boolean;
  /** Called when the stream has ended, or could not begin; maybe more than once. */
  ended(): void;
};

type Expected = {
  /** The media type. */
  type: string;
  /** Milliseconds that the answer may take to begin. */
  deadline: number;
  /** Whether it ends instead of failing: its client reconnects. */
  endless?: boolean;
  headers?: object | undefined;
};

type Streams = EndableStreams & {
  /**
   * Begins one. It fails when the agent goes away or its reader may no longer read.
   * @throws Failure, before the stream begins
   */
  begin(
    path: string,
    expected: Expected,
    reader: StreamReader,
  ): Promise<{ headers: Headers; body: ReadableStream<Uint8Array> }>;
};

/** How often to ask whether a stream's reader still may read; shorter than its heartbeat of 15 s. */
const READER_CHECK_MS = 5_000;

export function createStreams({ request, watch }: Pick<Calls, 'request' | 'watch'>): Streams {
  const streams = createEndableStreams();

  async function begin(
    path: string,
    expected: Expected,
    { mayRead, ended }: StreamReader,
  ): ReturnType<Streams['begin']> {
    const stopping = new AbortController();
    const { signal } = stopping;
    const late = setTimeout(() => stopping.abort(), expected.deadline);
    const endPulse = watch(stopping);
    let refusal: unknown;
    try {
      const response = await request(path, { headers: { ...expected.headers }, signal });
      const { headers } = response;
      if (response.ok && response.body && headers.get('content-type')?.startsWith(expected.type)) {
        const reader = response.body.getReader();
        const read = createRead(() => reader.read(), mayRead);
        const next = expected.endless ? () => read().catch(() => undefined) : read;
        const stop = () => {
          stopping.abort();
          ended();
        };
        return { headers, body: streams.open({ next, stop }) };
      }
      refusal = parseAnswer(await bytesOf(response, SMALL_ANSWER));
    } catch (cause) {
      ended();
      if (cause instanceof Failure) throw cause;
      throw unreachable(NO_ANSWER, cause);
    } finally {
      clearTimeout(late);
      endPulse();
    }
    ended();
    throw refusalOf(refusal);
  }

  return { ...streams, begin };
}

/** Reads piece by piece. @throws what `read` throws, and if the reader may no longer read */
function createRead(
  read: () => Promise<{ value?: Uint8Array | undefined }>,
  mayRead: () => boolean,
) {
  let pending: ReturnType<typeof read> | undefined;
  return async (): Promise<Uint8Array | undefined> => {
    for (;;) {
      pending ??= read();
      const piece = await within(pending, READER_CHECK_MS, () => undefined);
      if (!mayRead()) throw new Error('the session or token is no longer valid');
      if (piece === undefined) continue;
      pending = undefined;
      return piece.value;
    }
  };
}
