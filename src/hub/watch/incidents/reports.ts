/** What one look finds of each event: what is there, and what may be there. Pure. */
import type { EventName } from '../../../shared/events.ts';
import { memoize } from '../../../shared/memoize.ts';
import type { AgentFacts } from '../agent-facts.ts';
import type { Look } from '../look.ts';
import { HUB_PLACE, markOf, type Problem, placeOf, type Subject, subjectOf } from '../problem.ts';
import { problemsOfEach } from '../problem-list.ts';
import { isBetween, partOf } from '../problems/hub.ts';
import { bareOf, isNowhere, isUndialled } from '../sites/state.ts';

/** A problem that is one of the events: an incident, if it lasts. */
export type Incident = Subject &
  Readonly<{
    /** A domain, an agent's name if there are several, or empty. */
    about: string;
    level: 'bad' | 'warn';
    message: string;
    /** As `markOf` has it. */
    problem: string;
    /** Milliseconds that it has to last to count. */
    settles: number;
  }>;

/** What an agent, or the hub itself, says. */
export type Report = Readonly<{
  /** The agent's id, or `HUB`. */
  of: number;
  /** As `labelOf` has it. */
  label: string | undefined;
  present: readonly Incident[];
  /** Whether what is not present may be there: nobody can tell now. */
  isUnknown(one: Subject): boolean;
  /** The sites that it may say something of. */
  placed: ReadonlySet<number>;
}>;

/** No agent has this id. */
export const HUB = 0;

/** In milliseconds; `pace.ts` says why so much. */
export type WatchPace = Readonly<{
  settles: number;
  certificateSettles: number;
  requestsSettle: number;
  checkSettles: number;
  flapping: number;
  tolerance: number;
}>;

/** The id in `vhost 3`; null of any other subject. */
export function vhostIdOf(subject: string): number | null {
  const id = /^vhost (\d+)$/.exec(subject)?.[1];
  return id === undefined ? null : Number(id);
}

/** The id in `agent 1 ports`; null of any other subject. */
export function agentIdOf(subject: string): number | null {
  const id = /^agent (\d+)/.exec(subject)?.[1];
  return id === undefined ? null : Number(id);
}

/** The hub's comes first. */
export function reportsOf({ agents, disks, hub }: Look, pace: WatchPace): Report[] {
  const problems = problemsOfEach(agents);
  const own: Report = {
    of: HUB,
    label: undefined,
    placed: new Set(),
    present: hub.flatMap((one) => incidentOf(one, { place: HUB_PLACE, about: '' }, pace)),
    isUnknown: ({ event }) => event === 'disk.full' && disks.some(isBetween),
  };
  return [
    own,
    ...agents.map((agent, i): Report => {
      const { id, label, placed } = agent;
      const here = { place: placeOf(id), about: label ?? '' };
      return {
        of: id,
        label,
        placed,
        present: (problems[i] ?? [])
          .toSorted(byLevel)
          .flatMap((one) => incidentOf(one, here, pace)),
        isUnknown: (one) => isUnknownTo(agent, one),
      };
    }),
  ];
}

/** The worst first: of two that are the same incident, it counts. */
const byLevel = (a: Problem, b: Problem): number =>
  Number(a.level !== 'bad') - Number(b.level !== 'bad');

/** What a problem is an incident of, if it lasts; nothing if it is none. */
function incidentOf(
  problem: Problem,
  { place, about }: { place: string; about: string },
  pace: WatchPace,
): Incident[] {
  const subject = subjectOf(problem, place);
  if (subject === null) return [];
  const { vhost, part, level, message, settles = 'settles' } = problem;
  const isOfSite = vhost !== undefined && part === undefined;
  return [
    {
      ...subject,
      about: isOfSite ? vhost.domain : about,
      message,
      level: level === 'bad' ? level : 'warn',
      problem: markOf(problem, place),
      settles: pace[settles],
    },
  ];
}

/** Whether what an agent does not report may be there. */
function isUnknownTo(agent: AgentFacts, { event, subject }: Subject): boolean {
  const { status, inStep } = agent;
  const vhost = vhostIdOf(subject);
  if (vhost !== null && !agent.placed.has(vhost)) return false;
  if (status === null) return true;
  if (event === 'agent.unreachable' || event === 'proxy.down') return false;
  if (event === 'disk.full') {
    const disks = agent.disks ?? [];
    return disks.some((disk) => isBetween(disk) && `agent ${agent.id} ${partOf(disk)}` === subject);
  }
  // Without a configuration of ours, the proxy was just started, or someone else has loaded another.
  if (!status.proxy.running || status.liveDigest === null) return true;
  if (event === 'agent.behind') return !inStep;
  // After a start, the hub learns which sites are refused when it publishes.
  if (vhost === null) return false;
  if (event === 'check.failing') return agent.isUnasked(vhost);
  return event === 'vhost.broken' ? !inStep : isSiteUnknown(agent, event, vhost);
}

type Sites = NonNullable<AgentFacts['sites']>;
/** Each of thousands of open incidents looks for its site. */
const byId = memoize((sites: Sites) => new Map(sites.map((one) => [one.id, one])));

function isSiteUnknown({ sites, knowsEnding }: AgentFacts, event: EventName, id: number): boolean {
  const state = sites && byId(sites).get(id);
  if (!state || isNowhere(state.addresses)) return true;
  if (event === 'upstream.down') return state.upstreams.some(isUndialled);
  const bare = bareOf(state.addresses);
  return event === 'certificate.ending'
    ? !knowsEnding || bare.length > 0
    : bare.some(({ checkedAt }) => checkedAt === null);
}
