/** What is wrong with an agent, its proxy and its sites. Pure. */
import {
  type Disk,
  FALLBACK_PORTS,
  type ProxyStatus,
  STANDARD_PORTS,
} from '../../../shared/wire/proxy.ts';
import { sentenceOfClosed } from '../../agents/proxy.ts';
import { listed, type Problem, sentence } from '../problem.ts';
import type { EndingCertificate } from '../sites/certificates.ts';
import type { Unserved } from '../sites/unserved.ts';
import { fullDisk, isFull, partOf } from './hub.ts';
import {
  downUpstreams,
  type FailingSite,
  failingChecks,
  lateCertificates,
  missingCertificates,
  type SiteFacts,
} from './sites.ts';

/** What counts of one of several agents. */
type Lag = {
  /** ISO 8601: since when its proxy lacks a change; null if it lacks none. */
  since: string | null;
  /** Whether nothing is published to it for now. */
  paused: boolean;
};

type Listening = { port: number; wanted: number; reason: string | null; blocked: boolean };

export type Facts = {
  /** ISO 8601. */
  now: string;
  /** Null: the agent did not respond. */
  status:
    | (Pick<ProxyStatus, 'proxy' | 'fault' | 'foreign' | 'drift' | 'restartNeeded' | 'closed'> &
        Partial<Pick<ProxyStatus, 'liveDigest'>>)
    | null;
  /** Why the agent cannot be asked, if it is there; null if it just does not respond. */
  agentFault: string | null;
  inStep: boolean;
  /** Only if there are other agents. */
  lag?: Lag;
  /** Why the proxy refused what is stored. */
  rejection: string | null;
  /** Whose sites the proxy serves, if that is in the way of a change. */
  ownership: string | null;
  unserved: readonly Pick<Unserved, 'vhost' | 'detail' | 'ports'>[];
  /** Null or empty: not known. */
  sites: readonly SiteFacts[] | null;
  /** Those whose checks fail here. */
  failing: readonly FailingSite[];
  certificates: readonly EndingCertificate[];
  /** Where the proxy listens; null: not known. */
  serving?: { http: Listening; https: Listening; cure: string | null } | null;
  /** How many advisories affect the proxy's version, and how to get rid of them. */
  advisories: { count: number; cure: string };
  /** Those that agent and proxy write to, unless the hub has them too. */
  disks?: readonly Disk[];
  /** Everything else that an operator should know; with `ownership` and the proxy's fault, if there are any. */
  warnings: readonly string[];
};

/** Caddy does not count the loads that it refuses; whoever tries one has usually edited the file. */
export const EDITED =
  'The Caddyfile on disk was edited, but Caddy does not serve that text: only signalbox may load a configuration, so `caddy reload` and `systemctl reload caddy` are refused. Import the file instead.';

/** What is not known is left out. The gravest first, for those that are equally old. */
export function problemsOf(facts: Facts): Problem[] {
  const { status } = facts;
  const isUp = status?.proxy.running === true;
  const sites = isUp ? (facts.sites ?? []) : [];
  const found = [
    ...standingProblems(facts),
    ...brokenVhosts(facts),
    ...(isUp ? heldPorts(facts) : []),
    ...lateCertificates(facts.certificates, sites),
    ...missingCertificates(sites),
    ...(isUp ? failingChecks(facts.failing) : []),
    ...downUpstreams(sites),
    ...fileProblems(facts),
    ...(facts.disks ?? [])
      .filter(isFull)
      .map((disk) => ({ ...fullDisk(disk), part: partOf(disk) })),
    ...facts.warnings
      .filter((one) => one !== facts.ownership && one !== status?.fault)
      .map(
        (message): Problem => ({
          code: RETURNED.test(message) ? 'PROGRAM_RETURNED' : 'WARNING',
          level: 'warn',
          message,
        }),
      ),
  ];
  return found.map((one) => ({ ...one, message: sentence(one.message) }));
}

/** How the agent begins to say that it does not use a program. */
const RETURNED = /^The program at PROXY_BIN /;

const UNKNOWN = 'Caddy’s state is unknown, and nothing can be changed until the agent returns.';
const NOT_REACHED = 'Until it returns, its Caddy keeps its current sites.';
const NONE_YET = 'Its Caddy serves none of the sites yet.';
const LACKS = 'Its Caddy lacks changes: it still serves deleted sites and ignores new policies.';

/** What stands between the hub and what the proxy serves: the first explains the others. */
function standingProblems({ status, lag, ...facts }: Facts): Problem[] {
  const isEmpty = status?.liveDigest === null;
  const lacks = lag?.since ? (isEmpty ? NONE_YET : LACKS) : null;
  const since = lag?.since ? { since: lag.since } : {};
  if (!status) {
    const toll = lag ? (lacks ?? NOT_REACHED) : UNKNOWN;
    const message = `${sentence(facts.agentFault ?? 'The agent does not answer.')} ${toll}`;
    return [{ code: 'AGENT_UNREACHABLE', level: 'bad', message }];
  }
  if (!status.proxy.running) {
    const why = status.fault ?? 'Caddy is not running, or does not answer.';
    const message = `${sentence(why)} No site is known to be served.`;
    return [{ code: 'PROXY_DOWN', level: 'bad', message }];
  }
  if (status.foreign || facts.ownership !== null) {
    const message =
      facts.ownership ??
      'Caddy serves sites that signalbox does not manage. The first change would replace them, so import them first.';
    return [{ code: 'FOREIGN', level: 'warn', message }];
  }
  if (facts.inStep) return [];
  if (facts.rejection !== null) {
    const message = notLive(facts.rejection);
    return [{ code: 'NOT_IN_STEP', level: 'bad', message: withToll(message, lacks) }];
  }
  if (lag?.paused) {
    const message = withToll('The agent is paused', lacks);
    return [{ code: 'NOT_IN_STEP', level: 'warn', ...since, message }];
  }
  if (lacks !== null) {
    const message = `${lacks} signalbox is publishing them.`;
    return [{ code: 'NOT_IN_STEP', level: 'bad', ...since, message }];
  }
  const message = 'Caddy does not serve the stored state. signalbox is publishing it again.';
  return [{ code: 'NOT_IN_STEP', level: 'warn', message }];
}

export const notLive = (rejection: string): string => `The stored state is not live: ${rejection}`;

const withToll = (message: string, toll: string | null): string =>
  toll === null ? message : `${sentence(message)} ${toll}`;

const brokenVhosts = ({ unserved }: Facts): Problem[] =>
  unserved
    .filter(({ ports }) => ports.length === 0)
    .map(({ vhost: { id, domain }, detail }) => ({
      code: 'VHOST_BROKEN',
      level: 'bad',
      vhost: { id, domain },
      message: `Not served, because Caddy refuses it: ${detail}`,
    }));

/** Ports that could not be opened, once each however many vhosts wait for them, and those replaced by others. */
function heldPorts({ status, unserved, serving }: Facts): Problem[] {
  const byPort = Map.groupBy(status?.closed ?? [], ({ port }) => port);
  const closed = [...byPort].map(([port, all]): Problem => {
    const waiting = unserved.filter(({ ports }) => ports.includes(port));
    const [only] = waiting.length === 1 ? waiting : [];
    const toll = waiting.length > 1 ? `; ${waiting.length} sites are not served there` : '';
    return {
      code: 'PORT_HELD',
      level: waiting.length > 0 ? 'bad' : 'warn',
      // Several sites may wait for a port, and the last of them be deleted.
      part: 'ports',
      ...(only ? { vhost: { id: only.vhost.id, domain: only.vhost.domain } } : {}),
      message: `${listed(all.map(sentenceOfClosed))}${toll}`,
    };
  });
  if (!serving) return closed;
  // Ports that someone chose are no problem, and on one that is not open, Caddy does not listen.
  const moved = [serving.http, serving.https].filter(
    (one) => one.blocked && isFallback(one) && !byPort.has(one.port),
  );
  if (moved.length === 0) return closed;
  const where = listed(moved.map(({ port, wanted }) => `${port} instead of ${wanted}`));
  const why = listed(moved.flatMap(({ reason }) => reason ?? []));
  const cure = serving.cure ? ` To change that: ${serving.cure}` : '';
  const message = `Caddy listens on port ${where}: ${sentence(why)}${cure}`;
  return [...closed, { code: 'PORT_HELD', level: 'warn', part: 'ports', message }];
}

/** Whether a first start may have chosen the port because another one was taken. */
function isFallback({ port, wanted }: Listening): boolean {
  const { http, https, tried } = FALLBACK_PORTS;
  const first = wanted === STANDARD_PORTS.http ? http : https;
  return port >= first && port < first + tried;
}

function fileProblems({ status, advisories: { count, cure } }: Facts): Problem[] {
  const found: Problem[] = [];
  if (status?.drift) found.push({ code: 'DRIFT', level: 'warn', message: EDITED });
  if (status?.restartNeeded) {
    const message = 'A failed start may have left ports of Caddy open: restart Caddy.';
    found.push({ code: 'RESTART_NEEDED', level: 'warn', message });
  }
  if (count > 0) {
    const known = count === 1 ? '1 known vulnerability' : `${count} known vulnerabilities`;
    const message = `Caddy ${status?.proxy.version} has ${known}. ${cure}`;
    found.push({ code: 'ADVISORY', level: 'notice', message });
  }
  return found;
}
