/** One page of the logs of several agents. */
import { Failure } from '../../shared/failure.ts';
import type { LogEntry, LogPage, LogQuery } from '../../shared/wire/logs.ts';
import type { MergeAnswer, MergeRequest } from '../../shared/wire/merge.ts';
import { type Agent, askAll } from '../agents/agents.ts';
import { type Bracket, bracketOf, cutAt, isNarrow, narrow, probesOf, sumOf } from './place.ts';

type Asked = Omit<MergeRequest, 'conditions' | 'pin'>;
/** The answers to one question, in the order of the agents' names. */
type Round = (asked: (agent: number) => Asked) => Promise<MergeAnswer[]>;

/** Thrown if an agent is gone, or what it was asked about: the page is put together again. */
class Again extends Error {
  constructor(readonly lost: readonly string[]) {
    super('an agent has changed meanwhile');
  }
}

const DEFAULT_PAGE_SIZE = 50;
/** Up to so many entries of each agent are read at once; further back, the place is found first. */
const AT_ONCE = 200;
/** How often a page is put together again because an agent lost what it was asked about. */
const ATTEMPTS = 3;

/**
 * The newest first; those of one millisecond by agent, and then in the order of their log.
 * @throws Failure AGENT_UNREACHABLE if none can be reached, INVALID_REQUEST
 */
export async function readMergedPage(agents: readonly Agent[], query: LogQuery): Promise<LogPage> {
  const missing: string[] = [];
  for (let attempt = 1; ; attempt++) {
    const asked = agents.filter(({ name }) => !missing.includes(name));
    try {
      const page = await mergePage(asked, query, missing);
      return { ...page, ...(missing.length > 0 && { missing: missing.toSorted() }) };
    } catch (error) {
      if (!(error instanceof Again)) throw error;
      if (attempt === ATTEMPTS + agents.length) {
        throw new Failure(
          'AGENT_UNREACHABLE',
          'The logs are changing too fast to merge; try again.',
        );
      }
      missing.push(...error.lost);
    }
  }
}

async function mergePage(
  agents: readonly Agent[],
  { page: wanted, pageSize: size, details, ...conditions }: LogQuery,
  missing: string[],
): Promise<LogPage> {
  const page = Number(wanted || 1);
  const pageSize = Number(size || DEFAULT_PAGE_SIZE);
  const skip = (page - 1) * pageSize;
  const isNear = page === 1 || skip + pageSize <= AT_ONCE;
  const isDetailed = details === 'true';
  const first = await askAll(agents, ({ client }) => {
    const slice = { skip: 0, limit: skip + pageSize };
    return client.merge({
      conditions,
      ...(isNear ? { slice, details: isDetailed } : { spans: true }),
    });
  });
  missing.push(...first.missing);
  const asked = first.answers.toSorted((a, b) => (a.agent.name < b.agent.name ? -1 : 1));
  const names = asked.map(({ agent }) => agent.name);
  const firstAnswers = asked.map(({ answer }) => answer);
  const total = sumOf(firstAnswers.map((answer) => answer.total));
  const isPartial = firstAnswers.some(({ partial }) => partial);

  const round: Round = async (ask) => {
    const agents = asked.map(({ agent }) => agent);
    const { answers, missing } = await askAll(agents, (agent) => {
      const at = agents.indexOf(agent);
      const pin = firstAnswers[at]?.pin ?? '';
      return agent.client.merge({ conditions, pin, ...ask(at) });
    });
    if (missing.length > 0) throw new Again(missing);
    return answers.map(({ answer }, at) => {
      if (answer.pin !== firstAnswers[at]?.pin) throw new Again([]);
      return answer;
    });
  };

  const count = Math.min(pageSize, total - skip);
  const logs =
    count <= 0
      ? []
      : isNear
        ? inOrder(firstAnswers, names).slice(skip, skip + count)
        : await readDeep(firstAnswers, names, { skip, count, isDetailed }, round);
  return {
    // Without the lines that are damaged.
    logs: logs.filter((entry) => entry !== null),
    total,
    page,
    pageSize,
    ...(isPartial && { partial: true as const }),
  };
}

/** Finds the times of the first and the last entry, and reads what is between them. */
async function readDeep(
  first: readonly MergeAnswer[],
  names: readonly string[],
  { skip, count, isDetailed }: { skip: number; count: number; isDetailed: boolean },
  round: Round,
): Promise<(LogEntry | null)[]> {
  const spans = first.flatMap((answer) => answer.spans ?? []);
  const newest = bracketOf(spans, skip);
  const oldest = bracketOf(spans, skip + count - 1);
  const counts = await narrowAll([newest, oldest], round);
  const before = cutAt(newest, counts, false);
  const after = cutAt(oldest, counts, true);
  const newer = counts.get(newest.to) ?? [];
  const answers = await round((agent) => {
    const from = before[agent] ?? 0;
    return {
      slice: {
        from: oldest.from,
        to: newest.to,
        skip: from - (newer[agent] ?? 0),
        limit: (after[agent] ?? 0) - from,
      },
      details: isDetailed,
    };
  });
  const start = skip - sumOf(before);
  return inOrder(answers, names).slice(start, start + count);
}

/** Asks for counts until all brackets can be read. @returns the counts of their ends, among others */
async function narrowAll(brackets: readonly Bracket[], round: Round) {
  const counts = new Map<number, number[]>();
  for (;;) {
    const wide = brackets.filter((bracket) => !isNarrow(bracket, counts));
    if (wide.length === 0) return counts;
    const times = [...new Set(wide.flatMap(probesOf))];
    const answers = await round(() => ({ times }));
    for (const [i, time] of times.entries()) {
      counts.set(
        time,
        answers.map((answer) => answer.counts?.[i] ?? 0),
      );
    }
    for (const bracket of brackets) narrow(bracket, counts);
  }
}

function inOrder(answers: readonly MergeAnswer[], names: readonly string[]): (LogEntry | null)[] {
  const all = answers.flatMap(({ times = [], logs = [] }, at) =>
    logs.map((entry, i) => ({
      time: times[i] ?? 0,
      entry: entry && { ...entry, agent: names[at] ?? '' },
    })),
  );
  // Stable: by agent and in the order of its log if the times are the same.
  return all.sort((a, b) => b.time - a.time).map(({ entry }) => entry);
}
