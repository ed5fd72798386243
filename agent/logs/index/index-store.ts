/** Keeps the indexes of finished segments beside them, for the next start. */
import { open, rename, rm, stat } from 'node:fs/promises';
import { openSource } from '../files/open-source.ts';
import { plainPathOf, type Segment } from '../files/segments.ts';
import type { Source } from '../files/source.ts';
import { readIndexFile, writeIndexFile } from './index-file.ts';
import { createSegmentIndex, type SegmentIndex } from './segment-index.ts';

// That of a segment of 100 GB.
const LARGEST = 1 << 30;

const indexOf = (segment: Segment): string => `${plainPathOf(segment)}.index`;

/** The stored index; undefined if there is none of this very file. Never rejects. */
export async function loadIndex(
  segment: Segment,
  source: Source,
): Promise<SegmentIndex | undefined> {
  try {
    const path = indexOf(segment);
    const found = await stat(path);
    if (!found.isFile() || found.size > LARGEST) return undefined;
    const bytes = await Bun.file(path).arrayBuffer();
    const data = readIndexFile(bytes, await source.fingerprint());
    return data && createSegmentIndex(data);
  } catch {
    return undefined;
  }
}

/** Stores the index of a segment. Never rejects: whoever cannot write here reads the log again. */
export async function storeIndex(segment: Segment, index: SegmentIndex): Promise<void> {
  const path = indexOf(segment);
  const unfinished = `${path}.tmp`;
  try {
    const source = await openSource(segment);
    if (!source) return;
    const fingerprint = await source.fingerprint().finally(source.close);
    await rm(unfinished, { force: true });
    // Never through a link that someone else has put there.
    const target = await open(unfinished, 'wx', 0o600);
    try {
      await target.writeFile(writeIndexFile(index.seal(), fingerprint));
    } finally {
      await target.close();
    }
    await rename(unfinished, path);
  } catch {
    await rm(unfinished, { force: true }).catch(() => undefined);
  }
}
