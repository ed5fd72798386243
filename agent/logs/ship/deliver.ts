/** Delivers a batch, and finds the lines in it that the engine refuses. */
import type { ShipEntry } from './format.ts';
import type { Outcome } from './post.ts';

type DeliverDeps = {
  post: (entries: readonly ShipEntry[]) => Promise<Outcome>;
  /** Whether this engine has ever accepted anything. */
  isProven: () => boolean;
  /** Stores that all entries up to the last of these have been dealt with. */
  commit: (entries: readonly ShipEntry[], outcome: Outcome) => Promise<void>;
};

/** So many single lines in a row are not damaged: the engine does not understand any. */
const MOST_SUSPECTS = 8;

/**
 * Sends the entries in their order. What the engine refuses for its content is halved down to the
 * line, and that line is left out; but as long as the engine has not accepted anything, the lines may
 * be right and the settings wrong, and nothing is left out.
 * @returns why the rest has to wait; undefined if everything has been dealt with
 * @throws what `commit` throws
 */
export async function deliver(
  entries: readonly ShipEntry[],
  { post, isProven, commit }: DeliverDeps,
): Promise<Outcome | undefined> {
  const parts = [entries];
  let suspects: ShipEntry[] = [];
  let refusal: Outcome | undefined;
  for (let part = parts.pop(); part; part = parts.pop()) {
    const outcome = await post(part);
    if (outcome.kind === 'accepted') {
      if (refusal && suspects.length > 0) await commit(suspects, refusal);
      suspects = [];
      await commit(part, outcome);
    } else if (outcome.kind !== 'content') {
      return outcome;
    } else if (part.length > 1) {
      const half = Math.ceil(part.length / 2);
      parts.push(part.slice(half), part.slice(0, half));
    } else if (isProven()) {
      await commit(part, outcome);
    } else {
      refusal = outcome;
      suspects.push(...part);
      if (suspects.length === MOST_SUSPECTS) break;
    }
  }
  return suspects.length > 0 ? refusal : undefined;
}
