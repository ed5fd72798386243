/** A set as the file that leaves it as it is. Pure. */
import { inputOf } from '../../hub/model/applied.ts';
import type { SiteSet } from '../../hub/model/vhost.ts';
import { type AppliedPolicy, type AppliedSite, PLAIN_CONFIG } from './schemas.ts';
import { toYaml } from './yaml.ts';

/**
 * YAML, without what a reader would assume anyway; passwords are hashes.
 * @param source whose sites and policies; all if it is missing
 */
export function exportYaml(set: SiteSet, source?: string): string {
  const isWanted = (thing: { source: string | null }) =>
    source === undefined || thing.source === source;
  const policies = set.policies.filter(isWanted).map(({ name, recipe, values, everywhere }) => {
    const policy: AppliedPolicy = {
      recipe,
      values: { ...values },
      ...(everywhere && { everywhere }),
    };
    return [name, policy] as const;
  });
  const sites = set.vhosts.filter(isWanted).map((vhost) => {
    const { upstream, config, enabled, check, ...lists } = inputOf(vhost, set);
    const site: AppliedSite = {
      ...(upstream !== '' && { upstream }),
      ...(config !== PLAIN_CONFIG && { config }),
      ...(!enabled && { enabled }),
      ...Object.fromEntries(Object.entries(lists).filter(([, names]) => names.length > 0)),
      ...(check && { check }),
    };
    return [vhost.domain, site] as const;
  });
  return toYaml({ policies: Object.fromEntries(policies), sites: Object.fromEntries(sites) });
}
