/** What one look says of each event: what is there, and what may be there nevertheless. Pure. */
import type { EventName } from '../../../shared/events.ts';
import { NOT_DIALLED_YET } from '../../../shared/wire-state.ts';
import type { AgentFacts } from '../agent-facts.ts';
import type { Look } from '../look.ts';
import type { Finding } from '../problem.ts';
import { factsOf } from '../problem-list.ts';
import { problemsOf } from '../problems/agent.ts';
import { fullDisk, isBetween, isFull } from '../problems/hub.ts';
import type { VhostState } from '../sites/view.ts';

/** What an incident is known by: `vhost 3`, `agent 1` or `hub`, the latter two with more if need be. */
export type Subject = Readonly<{ event: EventName; subject: string }>;

export type Sighting = Subject &
  Readonly<{
    /** A domain, an agent's name if there are several, or empty. */
    about: string;
    level: 'bad' | 'warn';
    message: string;
    /** Milliseconds that it has to last to count. */
    settles: number;
  }>;

/** What an agent, or the hub itself, says. */
export type Report = Readonly<{
  /** The agent's id, or `HUB`. */
  of: number;
  /** Empty if no other agent has to be told from it. */
  name: string;
  present: readonly Sighting[];
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
  flapping: number;
  tolerance: number;
}>;

export const keyOf = ({ event, subject }: Subject): string => `${event} ${subject}`;

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
export function reportsOf({ isOnly, agents, disks, hub }: Look, pace: WatchPace): Report[] {
  const facts = factsOf(agents, [], isOnly);
  const own: Report = {
    ...{ of: HUB, name: '', placed: new Set() },
    present: hub.flatMap((found) => sightingOf(found, { subject: 'hub', about: '' }, pace) ?? []),
    isUnknown: ({ event }) => event === 'disk.full' && disks.some(isBetween),
  };
  return [
    own,
    ...agents.map((agent, i): Report => {
      const name = isOnly ? '' : agent.name;
      const found = facts[i] ? problemsOf(facts[i].facts, new Map()) : [];
      const here = { subject: `agent ${agent.id}`, about: name };
      return {
        ...{ of: agent.id, name, placed: agent.placed },
        present: [
          ...found.flatMap((problem) => sightingOf(problem, here, pace, agent.states) ?? []),
          ...fullDisks(agent, name, pace),
        ],
        isUnknown: (one) => isUnknownTo(agent, one),
      };
    }),
  ];
}

const EVENT_OF: Readonly<Partial<Record<Finding['code'], EventName>>> = {
  AGENT_UNREACHABLE: 'agent.unreachable',
  PROXY_DOWN: 'proxy.down',
  DRIFT: 'drift',
  NOT_IN_STEP: 'agent.behind',
  VHOST_BROKEN: 'vhost.broken',
  PORT_HELD: 'vhost.broken',
  CERTIFICATE_EXPIRED: 'certificate.ending',
  CERTIFICATE_ENDING: 'certificate.ending',
  CERTIFICATE_MISSING: 'certificate.failed',
  UPSTREAM_DOWN: 'upstream.down',
  SIGN_IN_LOCKED: 'sign-in.locked',
};

/** Null for what is no event, such as a publish that is under way, or another port that was chosen. */
function sightingOf(
  { code, level, vhost, message }: Finding,
  place: { subject: string; about: string },
  pace: WatchPace,
  states: readonly VhostState[] | null = null,
): Sighting | null {
  if (code === 'DISK_FULL' && place.subject === 'hub') {
    return { event: 'disk.full', ...place, level, message, settles: pace.settles };
  }
  const event = EVENT_OF[code];
  const isHarmless = level === 'warn' && (code === 'NOT_IN_STEP' || code === 'PORT_HELD');
  if (event === undefined || isHarmless) return null;
  const base = { event, level, message, settles: pace.settles };
  // Several sites may wait for a port, and the last of them be deleted.
  if (code === 'PORT_HELD') return { ...base, ...place, subject: `${place.subject} ports` };
  if (!vhost) return { ...base, ...place };
  const settles = settlesAfter(code, stateOf(states, vhost.id), pace);
  return { ...base, settles, subject: `vhost ${vhost.id}`, about: vhost.domain };
}

function settlesAfter(
  code: Finding['code'],
  state: VhostState | undefined,
  pace: WatchPace,
): number {
  if (code === 'CERTIFICATE_MISSING' && state?.errors.acme?.standing !== true) {
    return pace.certificateSettles;
  }
  const down = state?.upstreams.filter(({ up }) => up === false) ?? [];
  const isTransient = down.every(({ error }) => error?.transient === true);
  return code === 'UPSTREAM_DOWN' && isTransient ? pace.requestsSettle : pace.settles;
}

const fullDisks = (agent: AgentFacts, about: string, { settles }: WatchPace): Sighting[] =>
  (agent.facts.disks ?? []).filter(isFull).map((disk) => ({
    ...{ event: 'disk.full', subject: diskOf(agent, disk), about, level: 'warn' },
    ...{ message: fullDisk(disk).message, settles },
  }));

/** Not by its id, which is another one after a restart of the machine. */
const diskOf = ({ id }: AgentFacts, { holds }: { holds: readonly string[] }): string =>
  `agent ${id} ${holds[0] ?? ''}`;

/** Whether what an agent does not report may be there. */
function isUnknownTo(agent: AgentFacts, { event, subject }: Subject): boolean {
  const { status, inStep } = agent;
  const vhost = vhostIdOf(subject);
  if (vhost !== null && !agent.placed.has(vhost)) return false;
  if (status === null) return true;
  if (event === 'agent.unreachable' || event === 'proxy.down') return false;
  if (event === 'disk.full') {
    const disks = agent.facts.disks ?? [];
    return disks.some((disk) => isBetween(disk) && diskOf(agent, disk) === subject);
  }
  // Without a configuration of ours, the proxy was just started, or someone else has loaded another.
  if (!status.proxy.running || status.liveDigest === null) return true;
  if (event === 'agent.behind') return !inStep;
  // After a start, the hub learns which sites are refused when it publishes.
  if (vhost === null) return false;
  return event === 'vhost.broken' ? !inStep : isSiteUnknown(agent, event, vhost);
}

function isSiteUnknown({ states, knowsEnding }: AgentFacts, event: EventName, id: number): boolean {
  const state = stateOf(states, id);
  if (!state) return true;
  const { addresses, upstreams } = state;
  const served = addresses.filter((one) => one.served);
  if (addresses.length > 0 && served.length === 0) return true;
  if (event === 'upstream.down') {
    return upstreams.some(({ up, unknown }) => up === null && unknown === NOT_DIALLED_YET);
  }
  // One that is issued on demand has a reason, and is never asked for.
  const bare = served.filter(
    ({ name, tls, certificate, reason, checkedAt }) =>
      tls && name !== '' && certificate === null && (checkedAt !== null || reason === null),
  );
  return event === 'certificate.ending'
    ? !knowsEnding || bare.length > 0
    : bare.some(({ checkedAt }) => checkedAt === null);
}

const stateOf = (states: readonly VhostState[] | null, id: number): VhostState | undefined =>
  states?.find((one) => one.id === id);
