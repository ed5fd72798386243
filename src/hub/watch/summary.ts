/** Six numbers for a tile that polls them: those of the last look, so that asking takes no work for each site. */
import { type Static, t } from 'elysia';
import { integer } from '../../shared/integer.ts';
import type { SiteSet } from '../model/vhost.ts';
import type { AgentFacts } from './agent-facts.ts';
import { countedIn, type ProblemView } from './problem.ts';
import type { FailingOf } from './sites/states.ts';

export const Summary = t.Object(
  {
    sites: integer({ description: 'enabled vhosts' }),
    sitesDown: integer({
      description:
        'those with a problem of the level `bad`, those that the last explanation found failing, and those of a proxy that is down; unknown facts are left out',
    }),
    problems: integer({
      description: 'as in `/status`, without notices and those that are known',
    }),
    certificatesDue: integer({
      description: 'host names whose certificate expires within 14 days, as in `/status`',
    }),
    proxies: integer(),
    proxiesDown: integer({ description: 'those that do not answer, or whose agent does not' }),
  },
  { title: 'Summary' },
);
export type Summary = Static<typeof Summary>;

type Facts = Pick<AgentFacts, 'id' | 'name' | 'status' | 'certificates' | 'placed' | 'sites'>;
type Found = Pick<ProblemView, 'code' | 'level' | 'known' | 'vhost' | 'vhosts' | 'agents'>;

/**
 * @param problems all of that look; those that are known count nowhere
 * @param failingOf counts unless the site has a problem that is known
 */
export function summaryOf(
  { vhosts }: Pick<SiteSet, 'vhosts'>,
  agents: readonly Facts[],
  problems: readonly Found[],
  failingOf: FailingOf,
): Summary {
  const counted = countedIn(problems);
  const down = counted.flatMap((one) => (one.level === 'bad' ? idsOf(one) : []));
  const known = new Set(problems.flatMap((one) => (one.known ? idsOf(one) : [])));
  const failing = agents.flatMap(({ id, placed }) =>
    [...placed].filter((vhost) => !known.has(vhost) && failingOf(vhost, id) !== null),
  );
  const due = agents.flatMap(({ certificates }) => certificates.map(({ name }) => name));
  return {
    sites: vhosts.filter(({ enabled }) => enabled).length,
    sitesDown: new Set([...down, ...failing, ...agents.flatMap((one) => lostOn(one, counted))])
      .size,
    problems: counted.length,
    certificatesDue: new Set(due).size,
    proxies: agents.length,
    proxiesDown: agents.filter(({ status }) => status?.proxy.running !== true).length,
  };
}

const idsOf = ({ vhost, vhosts = vhost ? [vhost] : [] }: Found): number[] =>
  vhosts.map(({ id }) => id);

/** The ids of the enabled sites that a proxy does not serve, because it is down or refuses what is stored. */
function lostOn({ name, status, placed, sites }: Facts, problems: readonly Found[]): number[] {
  if (status === null) return [];
  const isSaid = (code: Found['code']) =>
    problems.some((one) => one.code === code && (one.agents?.includes(name) ?? true));
  if (!status.proxy.running) return isSaid('PROXY_DOWN') ? [...placed] : [];
  if (!isSaid('NOT_IN_STEP')) return [];
  return (sites ?? []).flatMap(({ id, enabled, problem }) => (enabled && problem ? id : []));
}
