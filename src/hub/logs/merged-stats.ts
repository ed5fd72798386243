/** Statistics of the logs of several agents. */
import { addSums, statsOf } from '../../shared/log-stats.ts';
import type { LogStats, StatsQuery } from '../../shared/wire.ts';
import { type Agent, askAll } from '../agents/agents.ts';

/** What a URL can name: the years 0 to 9999. */
const [FIRST, LAST] = [-62_167_219_200_000, 253_402_300_799_999];

/** @throws Failure AGENT_UNREACHABLE if none can be reached, INVALID_REQUEST */
export async function readMergedStats(
  agents: readonly Agent[],
  query: StatsQuery,
): Promise<LogStats> {
  const range = await rangeOf(agents, query);
  const { answers, missing } = await askAll(agents, ({ client }) =>
    client.sums({ ...query, ...range }),
  );
  return {
    ...statsOf(addSums(answers.map(({ answer }) => answer))),
    ...(missing.length > 0 && { missing }),
  };
}

/** The same range for all, so that their buckets are the same: by default that of all entries. */
async function rangeOf(agents: readonly Agent[], { from, to }: StatsQuery) {
  if (from && to) return {};
  const { answers } = await askAll(agents, ({ client }) => client.merge({ conditions: {} }));
  const ranges = answers.flatMap(({ answer }) => answer.range ?? []);
  if (ranges.length === 0) return {};
  const iso = (time: number) => new Date(Math.min(LAST, Math.max(FIRST, time))).toISOString();
  return {
    from: from || iso(Math.min(...ranges.map(({ earliest }) => earliest))),
    to: to || iso(Math.max(...ranges.map(({ latest }) => latest)) + 1),
  };
}
