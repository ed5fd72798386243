/** All that is wrong right now, one entry per cause, worst first. Pure. */
import type { Disk, ProxyStatus } from '../../../shared/wire.ts';
import { type Finding, listed, type Problem, sentence } from '../problem.ts';
import type { EndingCertificate } from '../sites/certificates.ts';
import { sentenceOfClosed, type Unserved } from '../sites/unserved.ts';
import { fullDisk, isFull } from './hub.ts';
import { downUpstreams, lateCertificates, missingCertificates, type SiteFacts } from './sites.ts';
import { type StandingFacts, standingProblems } from './standing.ts';

type Listening = { port: number; wanted: number; reason: string | null; blocked: boolean };

export type Facts = StandingFacts & {
  /** ISO 8601. */
  now: string;
  status: Pick<ProxyStatus, 'drift' | 'restartNeeded' | 'closed'> | null;
  unserved: readonly Pick<Unserved, 'vhost' | 'detail' | 'ports'>[];
  /** Null or empty: not known. */
  sites: readonly SiteFacts[] | null;
  certificates: readonly EndingCertificate[];
  /** Where the proxy listens; null: not known. */
  serving?: { http: Listening; https: Listening; cure: string | null } | null;
  /** How many advisories affect the proxy's version, and how to get rid of them. */
  advisories: { count: number; cure: string };
  /** Those that agent and proxy write to, unless the hub has them too. */
  disks?: readonly Disk[];
  /** Everything else that an operator should know. */
  warnings: readonly string[];
};

/** Caddy does not count the loads that it refuses; whoever tries one has usually edited the file. */
export const EDITED =
  'The Caddyfile on disk was edited, but Caddy does not serve that text: only signalbox may load a configuration, so `caddy reload` and `systemctl reload caddy` are refused. Import the file instead.';

/**
 * What is not known is left out.
 * @param since when each problem was found first, by `keyOf`
 */
export const problemsOf = (facts: Facts, since: ReadonlyMap<string, string>): Problem[] =>
  findings(facts)
    .map((found) => ({ ...found, message: sentence(found.message) }))
    .map((found) => ({ ...found, since: found.since ?? since.get(keyOf(found)) ?? facts.now }))
    .toSorted(worstFirst);

export const worstFirst = (a: Problem, b: Problem): number =>
  a.level === b.level ? compare(a.since, b.since) : compare(a.level, b.level);

/** `bad` comes before `warn`, and earlier times before later ones. */
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** What a problem is about: its words may change, unless it has nothing else. */
export const keyOf = ({ code, vhost, message }: Omit<Problem, 'since'>): string =>
  `${code} ${SEVERAL.includes(code) ? message : (vhost?.id ?? '')}`;

const SEVERAL: readonly Problem['code'][] = ['WARNING', 'PORT_HELD', 'DISK_FULL'];

/** The gravest first, for those that are equally old. */
function findings(facts: Facts): Finding[] {
  const { status } = facts;
  const isUp = status?.proxy.running === true;
  const sites = isUp ? (facts.sites ?? []) : [];
  return [
    ...standingProblems(facts),
    ...brokenVhosts(facts),
    ...(isUp ? heldPorts(facts) : []),
    ...lateCertificates(facts.certificates, sites),
    ...missingCertificates(sites),
    ...downUpstreams(sites),
    ...fileProblems(facts),
    ...(facts.disks ?? []).filter(isFull).map(fullDisk),
    ...facts.warnings.map((message): Finding => ({ code: 'WARNING', level: 'warn', message })),
  ];
}

const brokenVhosts = ({ unserved }: Facts): Finding[] =>
  unserved
    .filter(({ ports }) => ports.length === 0)
    .map(({ vhost: { id, domain }, detail }) => ({
      code: 'VHOST_BROKEN',
      level: 'bad',
      vhost: { id, domain },
      message: `Not served, because Caddy refuses it: ${detail}`,
    }));

/** Ports that could not be opened, once each however many vhosts wait for them, and those replaced by others. */
function heldPorts({ status, unserved, serving }: Facts): Finding[] {
  const byPort = Map.groupBy(status?.closed ?? [], ({ port }) => port);
  const closed = [...byPort].map(([port, all]): Finding => {
    const waiting = unserved.filter(({ ports }) => ports.includes(port));
    const [only] = waiting.length === 1 ? waiting : [];
    const toll = waiting.length > 1 ? `; ${waiting.length} sites are not served there` : '';
    return {
      code: 'PORT_HELD',
      level: waiting.length > 0 ? 'bad' : 'warn',
      ...(only ? { vhost: { id: only.vhost.id, domain: only.vhost.domain } } : {}),
      message: `${listed(all.map(sentenceOfClosed))}${toll}`,
    };
  });
  if (!serving) return closed;
  // Other ports that someone chose are no problem.
  const moved = [serving.http, serving.https].filter(
    ({ port, wanted, blocked }) => blocked && port !== wanted,
  );
  if (moved.length === 0) return closed;
  const where = listed(moved.map(({ port, wanted }) => `${port} instead of ${wanted}`));
  const why = listed(moved.flatMap(({ reason }) => reason ?? []));
  const cure = serving.cure ? ` To change that: ${serving.cure}` : '';
  const message = `Caddy listens on port ${where}: ${sentence(why)}${cure}`;
  return [...closed, { code: 'PORT_HELD', level: 'warn', message }];
}

function fileProblems({ status, advisories: { count, cure } }: Facts): Finding[] {
  const found: Finding[] = [];
  if (status?.drift) found.push({ code: 'DRIFT', level: 'warn', message: EDITED });
  if (status?.restartNeeded) {
    const message = 'A failed start may have left ports of Caddy open: restart Caddy.';
    found.push({ code: 'RESTART_NEEDED', level: 'warn', message });
  }
  if (count > 0) {
    const known = count === 1 ? '1 known vulnerability' : `${count} known vulnerabilities`;
    const message = `Caddy ${status?.proxy.version} has ${known}. ${cure}`;
    found.push({ code: 'ADVISORY', level: 'warn', message });
  }
  return found;
}
