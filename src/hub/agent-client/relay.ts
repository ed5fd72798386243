/** Passes streams on, piece by piece as they are taken, and can end them all. */
export type Relays = {
  /** A stream of what `body` brings; its end, its failure and our own all look like an end. */
  pass(body: ReadableStream<Uint8Array>, abort: () => void): ReadableStream<Uint8Array>;
  /**
   * Ends all of them, and those that are passed on later at once.
   * @returns how many have a reader that does not take what there is, and may never see the end
   */
  end(): number;
};

export function createRelays(): Relays {
  const open = new Set<() => boolean>();
  let isOver = false;

  return {
    pass(body, abort) {
      const reader = body.getReader();
      let isPulled = false;
      let end = () => false;
      const finish = () => {
        open.delete(end);
        abort();
      };
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            end = () => {
              finish();
              // What the reader has not taken yet it never may: waiting for that holds up a stop.
              if (!isPulled) controller.error(new Error('the hub stops'));
              return !isPulled;
            };
            if (isOver) abort();
            else open.add(end);
          },
          async pull(controller) {
            isPulled = true;
            const piece = await reader.read().catch(() => undefined);
            isPulled = false;
            if (piece?.value) return controller.enqueue(piece.value);
            finish();
            controller.close();
          },
          cancel: finish,
        },
        { highWaterMark: 0 },
      );
    },
    end() {
      isOver = true;
      return [...open].filter((end) => end()).length;
    },
  };
}
