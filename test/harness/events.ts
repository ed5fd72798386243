/** Reads a stream of server-sent events. */

export type ServerEvent = { id?: string; event?: string; data?: string; comment?: string };

export type Events = {
  /** The next event; undefined at the end of the stream. */
  next(): Promise<ServerEvent | undefined>;
  /** The next event with this name; undefined if the stream ends before it. */
  of(event: string): Promise<ServerEvent | undefined>;
  /** The next event with an id, which is where the tail begins. */
  begun(): Promise<ServerEvent | undefined>;
  close(): Promise<void>;
};

/** @throws Error if there is no body */
export function readEvents(body: ReadableStream<Uint8Array> | null): Events {
  if (!body) throw new Error('there is no stream');
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';

  async function next(): Promise<ServerEvent | undefined> {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        return parse(block);
      }
      const { value, done } = await reader.read();
      if (done) return undefined;
      text += decoder.decode(value, { stream: true });
    }
  }

  async function nextThat(fits: (event: ServerEvent) => boolean): Promise<ServerEvent | undefined> {
    for (;;) {
      const found = await next();
      if (!found || fits(found)) return found;
    }
  }

  return {
    next,
    of: (event) => nextThat((one) => one.event === event),
    begun: () => nextThat((one) => one.id !== undefined),
    close: () => reader.cancel(),
  };
}

function parse(block: string): ServerEvent {
  const found: ServerEvent = {};
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([a-z]*): ?(.*)$/s.exec(line) ?? [];
    if (name === '') found.comment = value;
    else if (name === 'id' || name === 'event' || name === 'data') found[name] = value;
  }
  return found;
}
