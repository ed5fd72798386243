/** Which sites use which modules of Caddy, as far as its own configuration says. Pure. */
import { endpointsUnder } from './endpoints.ts';
import type { SiteSet } from './vhost.ts';

type ModuleUse = {
  module: string;
  /** The domains of the sites, sorted. */
  sites: string[];
  /** Whether anything else uses it, such as a global option. */
  elsewhere: boolean;
};

type Tree = { [key: string]: unknown };

/** The fields in which Caddy's JSON names a module; elsewhere, a key of an object names one. */
const NAMING = [
  'handler',
  'name',
  'module',
  'source',
  'format',
  'output',
  'protocol',
  'policy',
  'wrapper',
];

/**
 * @param modules those in question: a value that happens to be the name of one counts as well
 * @param config of Caddy, adapted from the set
 */
export function modulesUsed(
  modules: readonly string[],
  config: unknown,
  set: SiteSet,
): ModuleUse[] {
  const byName = new Map(
    modules.map((module) => [module.slice(module.lastIndexOf('.') + 1), module]),
  );
  const uses = new Map<string, ModuleUse>();
  const domainsOf = domainsIn(set);

  /** @param hosts of the part of the configuration; null: it is for none in particular */
  function note(part: unknown, hosts: readonly string[] | null): void {
    for (const name of namesIn(part)) {
      const module = byName.get(name);
      if (module === undefined) continue;
      const use = uses.get(module) ?? { module, sites: [], elsewhere: false };
      uses.set(module, use);
      const sites = hosts?.flatMap(domainsOf) ?? [];
      if (sites.length === 0) use.elsewhere = true;
      use.sites = [...new Set([...use.sites, ...sites])].toSorted();
    }
  }

  const { apps, ...others } = treeOf(config);
  const { http, tls, ...otherApps } = treeOf(apps);
  const { servers, ...otherHttp } = treeOf(http);
  for (const server of Object.values(treeOf(servers))) {
    const { routes, tls_connection_policies: policies, ...rest } = treeOf(server);
    for (const route of listOf(routes)) {
      const { match } = treeOf(route);
      const matches = Array.isArray(match) ? match : [{}];
      note(
        route,
        matches.flatMap((one) => namesOf(treeOf(one).host)),
      );
    }
    for (const policy of listOf(policies)) note(policy, namesOf(treeOf(treeOf(policy).match).sni));
    note(rest, null);
  }
  const { automation, ...otherTls } = treeOf(tls);
  const { policies, ...otherAutomation } = treeOf(automation);
  for (const policy of listOf(policies)) note(policy, namesOf(treeOf(policy).subjects));
  for (const rest of [others, otherApps, otherHttp, otherTls, otherAutomation]) note(rest, null);
  return [...uses.values()];
}

/** Finds the domains of the sites with a host; without one, of those that answer to any. */
function domainsIn({ preamble, vhosts }: SiteSet): (host: string) => string[] {
  const endpointsOf = endpointsUnder(preamble);
  const domains = new Map<string, string[]>();
  for (const vhost of vhosts.filter(({ enabled }) => enabled)) {
    for (const { name } of endpointsOf(vhost)) {
      domains.set(name, [...(domains.get(name) ?? []), vhost.domain]);
    }
  }
  return (host) => domains.get(host) ?? [];
}

function* namesIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    for (const one of value) yield* namesIn(one);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, one] of Object.entries(value)) {
      yield key;
      if (typeof one === 'string' && NAMING.includes(key)) yield one;
      else yield* namesIn(one);
    }
  }
}

const treeOf = (value: unknown): Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Tree) : {};
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
/** Of no host in particular: the empty one. */
function namesOf(value: unknown): string[] {
  const names = listOf(value).filter((one) => typeof one === 'string');
  return names.length > 0 ? names : [''];
}
