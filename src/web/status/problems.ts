/** What the hub reports as problems, for people. Pure. */
import { FEATURE_PROBLEMS, type FeatureProblem, wordsOfProblem } from '../../features/problems.ts';
import { count, plural } from '../lib/format.ts';
import { isOfContainers, keeperOf, nextOf } from '../lib/source.ts';
import type { Problem, Status, Vhost } from '../lib/types.ts';

/** A site that a problem is about. */
export type Site = NonNullable<Problem['vhosts']>[number];

/** The sites that a problem names; none if it is about no site. */
export const sitesOf = ({ vhost, vhosts = vhost ? [vhost] : [] }: Problem): readonly Site[] =>
  vhosts;

/** Those of sites together that have the same cause, in the order of the worst of each. */
export function groupsOf(problems: readonly Problem[]): Problem[][] {
  const groups = Map.groupBy(problems, (one) => {
    const { code, level, cause, agents, known } = one;
    return sitesOf(one).length === 0 ? one : JSON.stringify([code, level, cause, agents, known]);
  });
  return [...groups.values()];
}

/** What is said about all problems of a group: that of several sites counts them. */
export function titleOfGroup(group: readonly Problem[]): string {
  const [first] = group;
  if (!first) return '';
  const { vhost: _, ...shared } = first;
  const sites = new Map(group.flatMap(sitesOf).map((site) => [site.id, site]));
  return titleOf(sites.size > 1 ? { ...shared, vhosts: [...sites.values()] } : first);
}

/** The message of a problem without the names of its sites, with which the hub ends that of several. */
export const wordsWithoutSites = ({ message, vhosts }: Problem): string =>
  vhosts ? message.replace(/ Sites: .*$/s, '') : message;

/**
 * The sites that a proxy no longer serves, or may not: the problem itself names none.
 * @param sites all of the hub
 */
export function sitesLost(
  { code, agents: on }: Problem,
  sites: readonly Pick<Vhost, 'id' | 'domain' | 'enabled' | 'agents'>[],
): readonly Site[] {
  if (code !== 'PROXY_DOWN' && code !== 'AGENT_UNREACHABLE') return [];
  return sites.filter(
    ({ enabled, agents }) =>
      enabled && (!on || agents.length === 0 || agents.some((name) => on.includes(name))),
  );
}

/** Those that nobody knows of yet, and that cannot wait: only these are counted. */
export const countedIn = (problems: readonly Problem[]): Problem[] =>
  problems.filter(({ known, level }) => !known && level !== 'notice');

/** `2 problems`, or what is done until it is known that there are none. */
export function headlineOf({ problems, checking }: Pick<Status, 'problems' | 'checking'>): string {
  const counted = countedIn(problems).length;
  if (counted > 0) return plural(counted, 'problem');
  return checking > 0 ? `Checking ${plural(checking, 'site')} …` : 'No problems';
}

/** `1 known, 2 notices`: of problems that are not counted. */
export function othersWords(problems: readonly Problem[]): string {
  const known = problems.filter((one) => one.known).length;
  const notices = problems.length - known;
  return [
    ...(known > 0 ? [`${count(known)} known`] : []),
    ...(notices > 0 ? [plural(notices, 'notice')] : []),
  ].join(', ');
}

/** What was changed since its source applied it, a line for each source: it is undone, and so no problem. */
export const differencesIn = ({ sources }: Pick<Status, 'sources'>): string[] =>
  sources.flatMap(({ name, sites, policies, differing }) => {
    if (differing === 0) return [];
    const all = policies === 0 ? plural(sites, 'site') : `${sites + policies} sites and policies`;
    const what = `${differing} of ${all} managed by ${keeperOf(name)}`;
    const said = isOfContainers(name) ? 'their labels' : 'what it applied';
    const verb = differing === 1 ? 'differs' : 'differ';
    return [`${what} ${verb} from ${said}: ${nextOf(name)} undoes that.`];
  });

/** Whether the list of problems is not empty. */
export const hasLines = (status: Pick<Status, 'problems' | 'sources'>): boolean =>
  status.problems.length > 0 || differencesIn(status).length > 0;

/** How bad it is as a whole, but for what is known. */
export function levelOf(all: readonly Problem[]): 'good' | Problem['level'] {
  const problems = countedIn(all);
  if (problems.some(({ level }) => level === 'bad')) return 'bad';
  return problems.length === 0 ? 'good' : 'warn';
}

/** A few words about a problem, with the proxies that it is about; its message says more. */
export function titleOf(problem: Problem): string {
  const title = wordsFor(problem);
  const { code, agents = [] } = problem;
  // The words of a warning are its message, which names them.
  return agents.length === 0 || code === 'WARNING' ? title : `${agents.join(', ')}: ${title}`;
}

type CoreProblem = Exclude<Problem['code'], FeatureProblem | 'WARNING'>;
const isOfFeature = (code: Problem['code']): code is FeatureProblem =>
  wordsOfProblem(code) !== undefined;

/** Called with the name of the site, or with how many they are. */
const TITLES: Readonly<Record<CoreProblem, (name: string) => string>> = {
  AGENT_UNREACHABLE: () => 'The agent does not answer',
  PROXY_DOWN: () => 'Caddy is down',
  VHOST_BROKEN: (name) => `${name} is not served`,
  PORT_HELD: () => 'A port is not open',
  CERTIFICATE_EXPIRED: (name) => `The certificate of ${name} has expired`,
  CERTIFICATE_MISSING: (name) => `${name} has no certificate`,
  CERTIFICATE_ENDING: (name) => `The certificate of ${name} was not renewed`,
  UPSTREAM_DOWN: (name) => `The upstream of ${name} is down`,
  CHECK_FAILING: (name) => `The check of ${name} fails`,
  FOREIGN: () => 'Caddy serves sites that signalbox does not manage',
  NOT_IN_STEP: () => 'Caddy lacks stored changes',
  PROGRAM_RETURNED: () => 'Caddy’s previous program runs again',
  DRIFT: () => 'The Caddyfile on disk was edited',
  RESTART_NEEDED: () => 'Restart Caddy',
  SECRET_KEY_UNUSABLE: () => 'Stored secrets cannot be read',
  DISK_FULL: () => 'A disk is nearly full',
  SIGN_IN_LOCKED: () => 'Too many failed sign-ins',
  ADVISORY: () => 'Caddy has known vulnerabilities',
};

function wordsFor({ code, vhost, vhosts, message }: Problem): string {
  if (code === 'WARNING') return message.replace(/\.$/, '');
  const name = vhost?.domain ?? (vhosts ? `${vhosts.length} sites` : 'A site');
  return isOfFeature(code) ? FEATURE_PROBLEMS[code].title(name) : TITLES[code](name);
}

/** What the page of a proxy says more about, if there are several. */
const OF_PROXY: readonly Problem['code'][] = ['AGENT_UNREACHABLE', 'PROXY_DOWN', 'NOT_IN_STEP'];

/** Where a problem can be solved; null if not in the dashboard. */
export function linkOf(problem: Problem): { to: string; label: string } | null {
  const { code, vhost, agents = [] } = problem;
  if (vhost) return { to: `/sites/${vhost.id}`, label: 'Open the site' };
  const [agent, ...others] = agents;
  if (agent !== undefined && OF_PROXY.includes(code)) {
    if (others.length > 0) return { to: '/proxies', label: 'Proxies' };
    return { to: `/proxies/${agent}`, label: 'Open the proxy' };
  }
  if (code === 'FOREIGN' || code === 'DRIFT') return { to: '/import', label: 'Import' };
  if (code === 'UPSTREAM_DOWN') return { to: '/sites?show=problems', label: 'Open the sites' };
  if (code === 'NOT_IN_STEP') return { to: '/preamble', label: 'Open the Caddy options' };
  return wordsOfProblem(code)?.page ?? null;
}
