/** Reads the log of one agent, as the agent answers, or the logs of all together. */
import type { Static } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { addSums, statsOf } from '../../shared/wire/log-stats.ts';
import type {
  ExportQuery,
  LogQuery,
  LogStats,
  StatsQuery,
  TailQuery,
} from '../../shared/wire/logs.ts';
import { type Agent, type Agents, askAll, chosen } from '../agents/agents.ts';
import type { StreamReader } from '../agents/streams.ts';
import type { AgentQuery } from '../http/params.ts';
import { type Positions, parseEventId } from './event-ids.ts';
import { type MergedExport, openMergedExport } from './merged-export.ts';
import { readMergedPage } from './merged-page.ts';
import { openMergedTail } from './merged-tail.ts';

type Of<Query> = Query & Static<typeof AgentQuery>;

/** All reject with Failure AGENT_UNREACHABLE, INVALID_REQUEST, or NOT_FOUND for an unknown agent. */
type LogReader = {
  /** A page as JSON text. */
  page(query: Of<LogQuery>): Promise<string>;
  /** @param lastEventId of a tail of one agent or of several */
  tail(
    query: Of<TailQuery>,
    lastEventId: string | null,
    reader: StreamReader,
  ): Promise<ReadableStream<Uint8Array>>;
  export(query: Of<ExportQuery>, reader: StreamReader): Promise<MergedExport>;
  stats(query: Of<StatsQuery>): Promise<LogStats>;
};

export function createLogReader(agents: Agents): LogReader {
  /** @throws Failure INVALID_REQUEST */
  function positionsIn(lastEventId: string): Positions {
    const ids = agents.all().map(({ id }) => id);
    const positions = parseEventId(lastEventId, ids[0] ?? 0);
    if (!positions) {
      throw new Failure('INVALID_REQUEST', 'The Last-Event-ID is not an event of this log.');
    }
    return new Map([...positions].filter(([id]) => ids.includes(id)));
  }

  function tailOne({ id, client }: Agent, query: TailQuery, last: string, reader: StreamReader) {
    const position = parseEventId(last, id)?.get(id) ?? '';
    // What is not an id at all, the agent refuses.
    return client.tail(query, parseEventId(last, id) ? position : last, reader);
  }

  return {
    async page({ agent, ...query }) {
      const one = chosen(agents, agent);
      if (one) return one.client.logs(query);
      return JSON.stringify(await readMergedPage(agents.all(), query));
    },

    async tail({ agent, after = '', ...query }, lastEventId, reader) {
      try {
        const one = chosen(agents, agent);
        const last = lastEventId || after;
        if (one) return await tailOne(one, query, last, reader);
        const positions = last === '' ? new Map() : positionsIn(last);
        return await openMergedTail(agents, query, positions, reader);
      } catch (error) {
        reader.ended();
        throw error;
      }
    },

    async export({ agent, ...query }, reader) {
      try {
        const one = chosen(agents, agent);
        if (one) return { ...(await one.client.export(query, reader)), missing: [] };
        return await openMergedExport(agents, query, reader);
      } catch (error) {
        reader.ended();
        throw error;
      }
    },

    async stats({ agent, ...query }) {
      const one = chosen(agents, agent);
      return one ? one.client.stats(query) : readMergedStats(agents.all(), query);
    },
  };
}

/** What a URL can name: the years 0 to 9999. */
const [FIRST, LAST] = [-62_167_219_200_000, 253_402_300_799_999];

/** @throws Failure AGENT_UNREACHABLE if none can be reached, INVALID_REQUEST */
async function readMergedStats(agents: readonly Agent[], query: StatsQuery): Promise<LogStats> {
  const range = await rangeOf(agents, query);
  const { answers, missing } = await askAll(agents, ({ client }) =>
    client.sums({ ...query, ...range }),
  );
  const stats = statsOf(addSums(answers.map(({ answer }) => answer)));
  const shares = answers.flatMap(({ agent, answer }) =>
    answer.sampled ? [[agent.name, answer.sampled.of]] : [],
  );
  const { sampled } = stats;
  return {
    ...stats,
    ...(sampled && { sampled: { ...sampled, agents: Object.fromEntries(shares) } }),
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
