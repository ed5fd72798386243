/** A tail of the logs of several agents, in the order in which their entries arrive. */
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../../shared/async.ts';
import type { TailQuery } from '../../shared/wire/logs.ts';
import { type Agent, type Agents, askAll } from '../agents/agents.ts';
import { LONGEST_ENTRY } from '../agents/bounds.ts';
import type { StreamReader } from '../agents/streams.ts';
import { formatEventId, type Positions } from './event-ids.ts';

export type TailPace = Readonly<{
  /** Milliseconds of silence after which a comment shows that the stream is alive. */
  heartbeat: number;
  /** Milliseconds after which an agent that went away is asked again. */
  retry: number;
}>;

const PACE: TailPace = { heartbeat: 15_000, retry: 1_000 };
/** How often to look whether the reader still may read, and whether the agents are the same. */
const CHECK_MS = 5_000;

/**
 * Goes on while agents are away, and continues with what they logged meanwhile when they are back. Ends
 * when the reader may no longer read, and when there are other agents than before: then its client
 * comes back.
 * @param after where to continue in the log of each agent; in the others, from now on
 * @throws Failure AGENT_UNREACHABLE if none can be reached, INVALID_REQUEST
 */
export async function openMergedTail(
  agents: Agents,
  query: TailQuery,
  after: Positions,
  { mayRead, ended }: StreamReader,
  { heartbeat, retry }: TailPace = PACE,
): Promise<ReadableStream<Uint8Array>> {
  const followed = [...agents.all()];
  const stopping = new AbortController();
  const { signal } = stopping;
  const writer = createTailWriter(after);
  const encoder = new TextEncoder();
  let texts: { text: string; sent: () => void }[] = [];
  let arrival = Promise.withResolvers<void>();

  /** Resolves when the reader has taken the text: until then, no more of its agent is read. */
  async function push(text: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (text !== '') texts.push({ text, sent: resolve });
    arrival.resolve();
    arrival = Promise.withResolvers();
    if (text !== '' && !signal.aborted) await promise;
  }

  const open = ({ id, client }: Agent) =>
    client.tail(query, writer.positionOf(id) ?? null, { mayRead, ended: () => undefined });

  async function relay(agent: Agent, stream: ReadableStream<Uint8Array>): Promise<void> {
    const reader = stream.getReader();
    const cancel = () => void reader.cancel().catch(() => undefined);
    signal.addEventListener('abort', cancel);
    if (signal.aborted) cancel();
    const parse = createEventParser();
    try {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        const events = parse(piece.value);
        await push(events.map((event) => writer.write(event, agent)).join(''));
      }
    } finally {
      signal.removeEventListener('abort', cancel);
      cancel();
    }
  }

  async function follow(agent: Agent, first: ReadableStream<Uint8Array> | undefined) {
    let stream = first;
    while (!signal.aborted && mayRead()) {
      if (stream) await relay(agent, stream).catch(() => undefined);
      await sleep(retry, undefined, { signal }).catch(() => undefined);
      stream = await open(agent).catch(() => undefined);
    }
    await stream?.cancel();
  }

  async function next(): Promise<string | undefined> {
    const due = performance.now() + heartbeat;
    while (!signal.aborted && mayRead() && isSame(agents.all(), followed)) {
      if (texts.length > 0) {
        const taken = texts;
        texts = [];
        for (const { sent } of taken) sent();
        return taken.map(({ text }) => text).join('');
      }
      const left = due - performance.now();
      if (left <= 0) return writer.heartbeat();
      await within(arrival.promise, Math.min(left, CHECK_MS), () => undefined);
    }
    return undefined;
  }

  function stop(): void {
    stopping.abort();
    arrival.resolve();
    for (const { sent } of texts) sent();
    ended();
  }

  const streams = new Map<Agent, ReadableStream<Uint8Array>>();
  try {
    await askAll(followed, async (agent) => streams.set(agent, await open(agent)));
  } catch (error) {
    for (const stream of streams.values()) void stream.cancel();
    stop();
    throw error;
  }
  for (const agent of followed) void follow(agent, streams.get(agent));
  return agents.first().client.openStream({
    head: encoder.encode('retry: 1000\n\n'),
    async next() {
      const text = await next();
      return text === undefined ? undefined : encoder.encode(text);
    },
    stop,
  });
}

const isSame = (some: readonly Agent[], others: readonly Agent[]): boolean =>
  some.length === others.length &&
  some.every(({ id, name }, at) => id === others[at]?.id && name === others[at]?.name);

/** What an agent has sent: a position, if it is new, and maybe an event with data, which is JSON. */
type TailEvent = { id?: string; event?: string; data?: string };

/**
 * Splits a stream into events; each call gets the next piece and returns what is complete by then.
 * @throws Error, at a call, if an event is too long
 */
export function createEventParser(): (piece: Uint8Array) => TailEvent[] {
  const decoder = new TextDecoder();
  let rest = '';
  return (piece) => {
    const blocks = (rest + decoder.decode(piece, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    if (rest.length > LONGEST_ENTRY) throw new Error('an event of the agent is too long');
    return blocks.map((block) => {
      const event: TailEvent = {};
      for (const line of block.split('\n')) {
        const [, name, value] = /^(id|event|data): (.*)$/.exec(line) ?? [];
        if (name === 'id' || name === 'event' || name === 'data') event[name] = value ?? '';
      }
      return event;
    });
  };
}

type TailWriter = {
  /** The event of an agent, which is read up to there; empty if there is nothing to say. */
  write(event: TailEvent, agent: { id: number; name: string }): string;
  heartbeat(): string;
  /** Where an agent is read to; undefined if nothing is known of it. */
  positionOf(agent: number): string | undefined;
};

/** @param after where the reader wants to continue */
function createTailWriter(after: Positions): TailWriter {
  const positions = new Map(after);
  let sentId = '';

  function id(): string {
    const current = formatEventId(positions);
    if (current === sentId) return '';
    sentId = current;
    return `id: ${current}\n`;
  }

  return {
    write({ id: position, event, data }, agent) {
      const isFirst = !positions.has(agent.id) || sentId === '';
      if (position) positions.set(agent.id, position);
      if (event === undefined || !data?.endsWith('}')) {
        // So that the reader can continue from there before anything is written.
        return isFirst && position ? `${id()}\n` : '';
      }
      const of = `,"agent":${JSON.stringify(agent.name)}}`;
      return `${id()}event: ${event}\ndata: ${data.slice(0, -1)}${of}\n\n`;
    },
    heartbeat: () => `: still here\n${id()}\n`,
    positionOf: (agent) => positions.get(agent),
  };
}
