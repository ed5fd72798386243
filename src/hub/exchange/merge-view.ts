/** Shows what an import makes of what is there already. Pure. */
import { plainSite } from '../caddyfile/render.ts';
import type { Vhost } from '../model/vhost.ts';
import { unifiedDiff } from './diff.ts';
import type { MergedPreamble, MergedSite } from './merge.ts';
import type { MergeView } from './schemas.ts';

export const mergeView = (preamble: MergedPreamble, sites: readonly MergedSite[]): MergeView => ({
  sites: sites.map(({ action, wanted, before }) => ({
    domain: wanted.domain,
    action,
    vhosts: before.map(({ id, domain, enabled }) => ({ id, domain, enabled })),
    diff: before.length === 0 ? '' : unifiedDiff(blocksOf(before), blocksOf([wanted])),
  })),
  preamble: preamble.parts.map(({ name, present, file, state, side }) => ({
    name,
    state,
    side,
    diff: state === 'differs' ? unifiedDiff(`${present}\n`, `${file}\n`) : '',
  })),
});

const blocksOf = (vhosts: readonly Vhost[]): string =>
  vhosts.map((vhost) => `${plainSite(vhost).text}\n`).join('\n');
