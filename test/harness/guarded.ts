/** Sites with policies, as a proxyfile has them, but with policies of any text. */
import type { Guard } from '../../src/hub/caddyfile/guarded.ts';
import { guardedBlock, plainBlock } from '../../src/hub/caddyfile/site-block.ts';
import { readImports } from '../../src/hub/caddyfile/snippets.ts';
import { dialectOf } from '../../src/shared/caddyfile/dialect.ts';

export type TestSite = { domain: string; config: string };

/**
 * The blocks of sites, all with the same policies; plain if there are none.
 * @param preamble that they are under
 */
export function guardedSites(
  preamble: string,
  sites: readonly TestSite[],
  guards: readonly Guard[],
  version: string | null,
): string {
  const imports = readImports(preamble, dialectOf(version));
  const blocks = sites.map(({ domain, config }) =>
    guards.length === 0
      ? plainBlock(domain, config)
      : guardedBlock(domain, config, guards, imports),
  );
  return blocks.map(({ text }) => text).join('\n\n');
}
