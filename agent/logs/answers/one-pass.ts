/** Reads blocks of a segment that can only be decompressed from its start. */
import type { Source } from '../files/source.ts';
import type { Block } from '../index/block.ts';
import { SegmentGone } from './lines-at.ts';

/**
 * Reads a segment once, from its start, and picks blocks from it, oldest first.
 * @throws SegmentGone
 */
export async function* inOnePass<T extends { block: Block }>(
  source: Source,
  requests: readonly T[],
): AsyncGenerator<[T, Buffer]> {
  const waiting = requests.toSorted((a, b) => b.block.start - a.block.start);
  let next = waiting.pop();
  if (!next) return;
  let position = next.block.start;
  let bytes = Buffer.allocUnsafe(next.block.end - next.block.start);
  for await (const chunk of source.chunks(position)) {
    while (next && next.block.start < position + chunk.length) {
      const { start, end } = next.block;
      const from = Math.max(0, start - position);
      chunk.copy(bytes, position + from - start, from, Math.min(chunk.length, end - position));
      if (end > position + chunk.length) break;
      yield [next, bytes];
      next = waiting.pop();
      if (!next) return;
      bytes = Buffer.allocUnsafe(next.block.end - next.block.start);
    }
    position += chunk.length;
  }
  throw new SegmentGone('the segment has shrunk');
}
