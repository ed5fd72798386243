/** What a filter selects in one segment. */
import { addressHash } from '../index/address.ts';
import { type Block, blocksBetween } from '../index/block.ts';
import { hostKey } from '../index/host.ts';
import type { IndexedSegment } from '../index/log-index.ts';
import type { IndexView } from '../index/segment-index.ts';
import type { Match } from './block-reader.ts';
import { type Conditions, requestTest, statusTest, timeTest } from './filter.ts';

type Selection = {
  /** What the index selects: by domain and status only. */
  view: IndexView;
  /** Whether an entry of these blocks matches all conditions. */
  match: Match;
  /** The blocks that may have matches, newest first. */
  candidates(): Block[];
};

export function selectIn({ index }: IndexedSegment, conditions: Conditions): Selection {
  const key = conditions.domain === undefined ? undefined : hostKey(conditions.domain);
  const view = index.view(key, statusTest(conditions));
  const request = requestTest(conditions);
  const time = timeTest(conditions);
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = conditions;
  const { wanted, certain } = view.selection;
  return {
    view,
    match: (entry) =>
      wanted[entry.pair] === 1 &&
      (!time || time(entry.time)) &&
      (!request || request(entry.request())) &&
      (certain || entry.facts()?.key === key),
    candidates() {
      const blocks = time ? blocksBetween(view.blocks(), from, to) : [...view.blocks()];
      if (conditions.ip === undefined) return blocks;
      const hash = addressHash(conditions.ip);
      return blocks.filter((block) => index.mayHave(block, hash));
    },
  };
}
