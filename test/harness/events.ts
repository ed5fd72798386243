/** Reads server-sent events one by one. */
export type ServerEvent = { id?: string; event?: string; data?: string; comment?: string };

export function readEvents(body: ReadableStream<Uint8Array> | null) {
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

  return {
    next,
    /** The next one of a kind; undefined where the stream ends before. */
    async of(event: string): Promise<ServerEvent | undefined> {
      for (;;) {
        const found = await next();
        if (!found || found.event === event) return found;
      }
    },
    /** Until the stream tells where it begins. */
    async begun(): Promise<ServerEvent | undefined> {
      for (;;) {
        const found = await next();
        if (!found || found.id !== undefined) return found;
      }
    },
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
