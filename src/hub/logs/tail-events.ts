/** Reads the events of an agent's tail, and writes those of a tail of several agents. */
import { formatEventId, type Positions } from './event-ids.ts';

/** What an agent has sent: a position, if it is new, and maybe an event with data, which is JSON. */
export type TailEvent = { id?: string; event?: string; data?: string };

/** Splits a stream into events; each call gets the next piece and returns what is complete by then. */
export function createEventParser(): (piece: Uint8Array) => TailEvent[] {
  const decoder = new TextDecoder();
  let rest = '';
  return (piece) => {
    const blocks = (rest + decoder.decode(piece, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
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

export type TailWriter = {
  /** The event of an agent, which is read up to there; empty if there is nothing to say. */
  write(event: TailEvent, agent: { id: number; name: string }): string;
  heartbeat(): string;
  /** Where an agent is read to; undefined if nothing is known of it. */
  positionOf(agent: number): string | undefined;
};

/** @param after where the reader wants to continue */
export function createTailWriter(after: Positions): TailWriter {
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
