/** Adds, changes and removes agents. */
import { createQueue, messageOf, within } from '../../shared/async.ts';
import type { EventName } from '../../shared/events.ts';
import { Failure } from '../../shared/failure.ts';
import { parseInvitation } from '../../shared/invitation.ts';
import { enrol } from '../agents/enrol.ts';
import type { AgentKeys } from '../agents/keys.ts';
import type { AgentView } from '../http/agent-view.ts';
import { FIRST_AGENT, type StoredAgent } from '../model/agent.ts';
import {
  type AgentInput,
  assertAgentName,
  createAgentChange,
  deleteAgentChange,
  updateAgentChange,
} from '../model/agent-changes.ts';
import { agentNamed, setFor } from '../model/applied.ts';
import type { Author, Change } from '../model/changes.ts';
import type { Publisher } from '../publish/publisher.ts';
import { assertNotSuperseded } from '../publish/target/standing.ts';
import type { AgentStanding, AgentState } from '../publish/target/targets.ts';
import { incidentKey, placeOf } from '../watch/problem.ts';
import type { Beginnings } from '../watch/problem-list.ts';

/** Where the settings say that the first agent is. */
type FirstAgent = Readonly<{ url: string; fingerprint: string | null }>;

type FleetDeps = {
  publisher: Publisher;
  keys: AgentKeys;
  /** Who this hub is to agents. */
  hub: { id: string; term: number };
  first: FirstAgent;
  /** When the open incidents began. */
  beginnings: () => Beginnings;
};

export type Fleet = {
  list(): AgentView[];
  /** @throws Failure NOT_FOUND */
  show(name: string): AgentView;
  /**
   * Enrols an agent by the line it printed, and publishes to it. One that is known by this name
   * already gets a new token.
   * @param replace whether its proxy may lose sites that this hub did not publish
   * @throws Failure INVALID_REQUEST, INVITATION_INVALID, AGENT_TAKEN, IMPORT_FIRST, AGENT_UNREACHABLE
   */
  add(name: string, invitation: string, author: Author, replace: boolean): Promise<AgentView>;
  /** Renames, pauses or resumes it. @throws Failure NOT_FOUND, INVALID_REQUEST, AGENT_TAKEN */
  update(name: string, input: AgentInput, author: Author): Promise<AgentView>;
  /**
   * Its proxy keeps running unchanged, and the agent accepts no token of this hub any more.
   * @returns why it may still accept one; null if it does not
   * @throws Failure NOT_FOUND, AGENT_IN_USE
   */
  remove(name: string, author: Author): Promise<string | null>;
  /** Gives it a new token. @throws Failure NOT_FOUND, INVALID_REQUEST, AGENT_UNREACHABLE, OTHER_HUB */
  rotate(name: string, author: Author): Promise<AgentView>;
};

/** Milliseconds to wait for an agent that is to be removed. */
const LOOK_MS = 2_000;
/** Milliseconds to wait for a new agent's proxy; it is brought up in any case. */
const BRING_UP_MS = 10_000;

export function createFleet({ publisher, keys, hub, first, beginnings }: FleetDeps): Fleet {
  /** One at a time: the id of a new agent is part of its token. */
  const oneByOne = createQueue();

  function viewOf(standing: AgentStanding): AgentView {
    const { vhosts } = setFor(publisher.current(), standing.agent.id);
    const since = beganAt(standing, beginnings()) ?? standing.since;
    const sites = vhosts.filter(({ enabled }) => enabled).length;
    return viewAgent({ ...standing, since }, first, sites);
  }

  /** @throws Failure NOT_FOUND if it was removed */
  function standingOf(id: number): AgentStanding {
    const standing = publisher.standings().find(({ agent }) => agent.id === id);
    if (standing) return standing;
    throw removed();
  }

  const bringUp = (id: number) =>
    within(
      publisher.reconcile(id).catch(() => undefined),
      BRING_UP_MS,
      () => undefined,
    );

  /** The agent that an invitation is for, if it is known. @throws Failure AGENT_TAKEN */
  function knownBy(name: string, fingerprint: string): StoredAgent | null {
    const { agents } = publisher.current();
    const same = agents.find((agent) => agent.fingerprint === fingerprint);
    if (same?.name === name) return same;
    if (same) {
      throw new Failure('AGENT_TAKEN', `This agent is already enrolled as ${same.name}.`, {
        at: { field: 'invitation' },
      });
    }
    assertAgentName(name, agents);
    return null;
  }

  return {
    list: () => publisher.standings().map(viewOf),
    show: (name) => viewOf(standingOf(agentNamed(name, publisher.current()).id)),

    add: (name, line, author, replace) =>
      oneByOne(async () => {
        const invitation = parseInvitation(line);
        if (invitation === null) {
          throw new Failure('INVALID_REQUEST', 'This is not a valid invitation.', {
            hint: 'Paste the line that "signalbox agent --invite" printed.',
            at: { field: 'invitation' },
          });
        }
        const { url, fingerprint } = invitation;
        const known = knownBy(name, fingerprint);
        const id = known?.id ?? publisher.current().nextAgentId;
        const generation = (known?.generation ?? 0) + 1;
        keys.make(known !== null);
        const token = keys.tokenOf({ id, generation, fingerprint });
        await enrol(invitation, { hub: hub.id, term: hub.term, token, replace });
        const change = known
          ? updateById(id, { generation, url })
          : createAgentChange({ id, name, url, fingerprint });
        await publisher.apply(change, author);
        await bringUp(id);
        return viewOf(standingOf(id));
      }),

    async update(name, input, author) {
      const { result } = await publisher.apply(updateAgentChange(name, input), author);
      if (input.paused === false) await bringUp(result.id);
      return viewOf(standingOf(result.id));
    },

    remove: (name, author) =>
      oneByOne(async () => {
        const { id } = agentNamed(name, publisher.current());
        const { client } = publisher.agents.named(name);
        const { status } = standingOf(id);
        // So that its client knows the newest token, which is looked up among the agents.
        await client.answers(LOOK_MS);
        await publisher.apply(deleteAgentChange(name), author, { unchecked: true });
        try {
          // The newer copy needs it.
          assertNotSuperseded(status, hub);
          await client.forget();
          return null;
        } catch (error) {
          return messageOf(error);
        }
      }),

    rotate: (name, author) =>
      oneByOne(async () => {
        const { id, generation, fingerprint } = agentNamed(name, publisher.current());
        if (id === FIRST_AGENT || fingerprint === null) {
          const message = 'The token of the first agent is the setting AGENT_TOKEN.';
          throw new Failure('INVALID_REQUEST', message);
        }
        // The newer copy could not derive the next token.
        assertNotSuperseded(standingOf(id).status, hub);
        const next = generation + 1;
        await publisher.agents
          .named(name)
          .client.rotate(keys.tokenOf({ id, generation: next, fingerprint }));
        await publisher.apply(updateById(id, { generation: next }), author);
        return viewOf(standingOf(id));
      }),
  };
}

/** As `updateAgentChange`, whatever the agent is called by then. */
const updateById =
  (id: number, input: AgentInput): Change<StoredAgent> =>
  (set, time) => {
    const agent = set.agents.find((one) => one.id === id);
    if (!agent) throw removed();
    return updateAgentChange(agent.name, input)(set, time);
  };

const removed = () => new Failure('NOT_FOUND', 'The agent has been removed.');

/** @param sites how many enabled vhosts are placed on it */
/** The incidents that a state is, of the agent itself or, with `ports`, of its proxy's ports. */
const INCIDENTS: Readonly<Record<AgentState, readonly [EventName, part?: string][]>> = {
  'in-step': [],
  behind: [['agent.behind']],
  unreachable: [['agent.unreachable'], ['proxy.down']],
  refused: [['agent.behind'], ['vhost.broken', ' ports']],
};

/** When the first incident began that an agent's state is; undefined if it is none. */
const beganAt = ({ agent, state }: AgentStanding, all: Beginnings): Date | undefined =>
  INCIDENTS[state]
    .flatMap(([event, part = '']) => {
      const subject = `${placeOf(agent.id)}${part}`;
      return all.get(incidentKey({ event, subject })) ?? [];
    })
    .toSorted((a, b) => a.getTime() - b.getTime())[0];

function viewAgent(standing: AgentStanding, first: FirstAgent, sites: number): AgentView {
  const { agent, state, since, detail, status, latencyMs, skewMs } = standing;
  const isFirst = agent.id === FIRST_AGENT;
  return {
    name: agent.name,
    url: agent.url ?? first.url,
    fingerprint: isFirst ? first.fingerprint : agent.fingerprint,
    paused: agent.paused,
    state,
    since: since.toISOString(),
    ...(detail === null ? {} : { detail }),
    proxy: status?.proxy ?? { running: false, version: null },
    foreign: status?.foreign ?? false,
    latencyMs,
    skewMs,
    sites,
  };
}
