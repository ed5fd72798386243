/** The facts of one agent, its proxy and its sites: what problems follow from, and what the status shows. */
import { advisoriesFor, SAFE_VERSION } from '../../shared/advisories.ts';
import { messageOf, within } from '../../shared/async.ts';
import type { Clock } from '../../shared/clock.ts';
import type { ProxyStatus } from '../../shared/wire/proxy.ts';
import type { SiteState } from '../../shared/wire/sites.ts';
import type { Agent } from '../agents/agents.ts';
import { NO_ANSWER } from '../agents/answer.ts';
import type { AgentClient } from '../agents/client.ts';
import { labelOf } from '../model/agent.ts';
import { setFor } from '../model/applied.ts';
import type { SiteSet, Vhost } from '../model/vhost.ts';
import { readServing } from '../publish/ports.ts';
import type { Publisher } from '../publish/publisher.ts';
import type { Serving } from '../publish/serving.ts';
import { LARGE_SKEW_MS } from '../publish/target/last-seen.ts';
import type { AgentStanding } from '../publish/target/targets.ts';
import type { Checks, FailingCheck } from './checks.ts';
import type { Facts } from './problems/agent.ts';
import type { FailingSite } from './problems/sites.ts';
import { endingCertificates } from './sites/certificates.ts';
import { statesOf } from './sites/state.ts';
import { findUnserved, rejectionOf, type Unserved } from './sites/unserved.ts';
import type { VhostState } from './sites/view.ts';

/** Milliseconds from one question for an agent's sites to the next, and for which an answer counts. */
export type RecentPace = Readonly<{ every: number; kept: number }>;

export type AgentFacts = Omit<Facts, 'sites'> & {
  id: number;
  name: string;
  /** As `labelOf` has it: the only agent has none. */
  label?: string | undefined;
  status: ProxyStatus | null;
  latencyMs: number | null;
  serving: Serving | null;
  unserved: readonly Unserved[];
  /** Whether it said which certificates end soon; else there may be more. */
  knowsEnding: boolean;
  /** Whether `sites` is from after the last change. */
  isCurrent: boolean;
  /** Whether a vhost has a check, but was not asked often enough here to tell if that fails. */
  isUnasked(vhost: number): boolean;
  /** The ids of the enabled vhosts that its proxy is to serve. */
  placed: ReadonlySet<number>;
  /** Null: not known. */
  sites: readonly SiteFacts[] | null;
};

/** How many days are left is as of when the agent said something new. */
type SiteFacts = Omit<VhostState, 'check'>;

/** What follows from an answer of an agent and a set. `until`: milliseconds of `elapsed`. */
type CachedSites = { set: SiteSet; sites: readonly SiteFacts[]; until: number };
const CHECKING_MS = 10_000;

/** How to get rid of all advisories, if another program runs Caddy. */
export const UPGRADE = `Install Caddy ${SAFE_VERSION} or newer from Caddy's own package repository, with the commands in docs/deployment.md under "A newer Caddy".`;

/** The same if the agent does. @param label of the agent, if there are several */
const restartOf = (label: string | undefined): string =>
  `Install Caddy ${SAFE_VERSION} or newer on its machine, then: \`signalbox caddy restart${label === undefined ? '' : ` --on ${label}`}\` (“Another Caddy” in the docs).`;

/** Milliseconds for one of several agents, so that nobody waits for it long. */
const ONE_OF_SEVERAL_MS = 2_000;

/** @returns a function that reads them and never fails; null if the agent was removed meanwhile */
export function createFactsReader(
  publisher: Publisher,
  checks: Checks,
  { now, elapsed }: Clock,
  pace: RecentPace,
) {
  const recent = new WeakMap<AgentClient, ReturnType<typeof createRecentSites>>();
  const known = new WeakMap<readonly SiteState[], CachedSites>();

  /** Made once of what is the same: for 10,000 sites, that is 10 MB. */
  function factsOf(
    live: readonly SiteState[],
    set: SiteSet,
    { unserved, rejection }: Pick<AgentFacts, 'unserved' | 'rejection'>,
  ) {
    const last = known.get(live);
    const isServed = unserved.length === 0 && rejection === null;
    if (last?.set === set && isServed && elapsed() < last.until) return last.sites;
    const sites = set.vhosts.map(statesOf(set, live, unserved, () => null, now(), rejection));
    // What is being checked is known some time, though the agent says the same.
    const isOpen = sites.some(({ checking }) => checking);
    const until = isOpen ? elapsed() + CHECKING_MS : Number.POSITIVE_INFINITY;
    if (isServed) known.set(live, { set, sites, until });
    return sites;
  }

  function recentSites(agent: Agent) {
    const known = recent.get(agent.client);
    if (known) return known();
    const made = createRecentSites(agent, publisher, elapsed, pace);
    recent.set(agent.client, made);
    return made();
  }

  return async (agent: Agent): Promise<AgentFacts | null> => {
    const { client } = agent;
    const label = labelOf(agent.id, publisher.agents.all());
    const from = performance.now();
    // One of several is not waited for; who waits for the only one learns why it does not answer.
    const mayLack = label !== undefined;
    const isSkipped = mayLack && client.isSilent();
    const ending = isSkipped ? null : endingCertificates(agent, publisher, now).catch(() => null);
    const asked = isSkipped ? null : recentSites(agent);
    let agentFault: string | null = null;
    const status = isSkipped
      ? null
      : await client.status(mayLack ? ONE_OF_SEVERAL_MS : undefined).catch((error: unknown) => {
          const reason = messageOf(error);
          if (reason !== NO_ANSWER) agentFault = reason;
          return null;
        });
    const latencyMs = status === null ? null : roundToTenths(performance.now() - from);
    const { sites: live, isCurrent } = (status !== null && (await asked)) || UNASKED;
    const unserved = await findUnserved(agent, publisher, status, live ?? undefined);
    const serving = await readServing(publisher, agent, status);
    const certificates = mayLack && status === null ? null : await ending;
    const standing = publisher.standings().find((one) => one.agent.id === agent.id);
    if (!standing) return null;
    const rejection = rejectionOf(standing.failure);
    const set = setFor(publisher.current(), agent.id);
    const failing = (vhost: number) => checks.of(vhost, agent.id);
    const time = now();
    const count = advisoriesFor(status?.proxy.version ?? null)?.length ?? 0;
    return {
      id: agent.id,
      name: agent.name,
      label,
      now: time.toISOString(),
      status,
      latencyMs,
      agentFault,
      serving,
      unserved,
      disks: status?.disks ?? [],
      inStep: status !== null && publisher.isInStep(status, agent.id),
      ...(label === undefined ? {} : { lag: lagOf(standing) }),
      rejection,
      ownership: standing.ownership,
      sites: live && factsOf(live, set, { unserved, rejection }),
      failing: set.vhosts.flatMap(failingAs(failing)),
      isUnasked: (vhost) => checks.isUnknown(vhost, agent.id),
      certificates: certificates ?? [],
      isCurrent,
      knowsEnding: certificates !== null,
      placed: new Set(set.vhosts.flatMap(({ id, enabled }) => (enabled ? id : []))),
      advisories: { count, cure: status?.proxy.managed ? restartOf(label) : UPGRADE },
      warnings: [
        ...(status?.warnings ?? []),
        ...standing.warnings,
        ...(label === undefined ? [] : skewWarning(standing)),
      ],
    };
  };
}

/** A vhost, if its check fails. */
const failingAs =
  (failing: (vhost: number) => FailingCheck | null) =>
  ({ id, domain }: Vhost): FailingSite[] => {
    const found = failing(id);
    return found ? [{ id, domain, ...found, since: found.since.toISOString() }] : [];
  };

export const roundToTenths = (value: number): number => Math.round(value * 10) / 10;

const lagOf = ({ agent: { paused }, behindSince }: AgentStanding) => ({
  since: behindSince?.toISOString() ?? null,
  paused,
});

function skewWarning({ skewMs }: AgentStanding): string[] {
  if (skewMs === null || Math.abs(skewMs) <= LARGE_SKEW_MS) return [];
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
  const side = skewMs > 0 ? 'ahead of' : 'behind';
  return [
    `Its clock is ${seconds} s ${side} the hub’s, so its entries are misplaced by as much in the merged log. Set both clocks by NTP.`,
  ];
}

/** The agent may wait for handshakes; what it learns is in the next answer. */
const WAIT_MS = 200;

/** `sites`: null if there is no answer; `isCurrent`: whether it is from after the last publish. */
type Recent = { sites: readonly SiteState[] | null; isCurrent: boolean };

const UNASKED: Recent = { sites: null, isCurrent: false };

/**
 * @param elapsed milliseconds from a clock that is never set
 * @returns a function that gives the last answer, and after another publish asks at once; never fails, and hardly waits
 */
export function createRecentSites(
  { id, client }: { id: number; client: Pick<AgentClient, 'sites'> },
  { isOnTrial, lastPublish }: Pick<Publisher, 'isOnTrial' | 'lastPublish'>,
  elapsed: () => number,
  pace: RecentPace,
): () => Promise<Recent> {
  let last: { at: number; of: object | null; sites: readonly SiteState[] } | null = null;
  let asking: Promise<void> | null = null;
  const age = () => (last === null ? Number.POSITIVE_INFINITY : elapsed() - last.at);

  async function ask(): Promise<void> {
    // A change that may still be rolled back.
    const wasOnTrial = isOnTrial(id);
    const of = lastPublish();
    const answer = await client.sites(undefined, undefined, true).catch(() => null);
    if (!wasOnTrial && !isOnTrial(id)) last = answer && { at: elapsed(), of, sites: answer.sites };
    asking = null;
  }

  return async () => {
    if (age() >= pace.every || last?.of !== lastPublish()) {
      asking ??= ask();
      await within(asking, WAIT_MS, () => undefined);
    }
    if (last === null || age() >= pace.kept) return UNASKED;
    return { sites: last.sites, isCurrent: last.of === lastPublish() };
  };
}
