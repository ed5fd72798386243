/** Checks that a config stays inside its own block and imports no files. */
import { createPauses } from '../../shared/async.ts';
import { type CheckOptions, checkConfig } from '../../shared/caddyfile/check.ts';
import { snippetNames } from '../../shared/caddyfile/preamble.ts';
import { MAX_ALL_WORDS } from '../../shared/caddyfile/tokenizer.ts';
import { Failure } from '../../shared/failure.ts';
import { fillUpstream, renderSite } from '../caddyfile/render.ts';
import { siteForm } from '../caddyfile/site.ts';
import { type Plan, vhostAfter } from './changes.ts';
import type { Vhost } from './vhost.ts';

/** What these checks need to know of the proxy: its syntax, and folders it may import from. */
export type Dialect = { heredocs: boolean; importDirs?: readonly string[] };

/**
 * Renders each vhost as well, so that rendering all of them later takes no time.
 * @param vhosts all in one call: reading a long preamble for each of them would take minutes
 * @throws Failure PROXY_REJECTED with the vhost and the line of its config
 */
export async function assertContained(
  vhosts: Iterable<Vhost>,
  preamble: string,
  dialect: Dialect,
): Promise<void> {
  const pause = createPauses();
  const options: CheckOptions = {
    ...dialect,
    snippets: snippetNames(preamble),
    words: { left: MAX_ALL_WORDS },
  };
  for (const vhost of vhosts) {
    assertInBlock(vhost, options);
    renderSite(vhost);
    await pause();
  }
}

function assertInBlock(vhost: Vhost, options: CheckOptions): void {
  // As Caddy will read it: an upstream inside a placeholder would move the end of the placeholder.
  const config = fillUpstream(vhost.config, vhost.upstream);
  const fault = checkConfig(config, siteForm(vhost.domain, config).form, options);
  if (!fault) return;
  const { id, domain } = vhost;
  throw new Failure(
    'PROXY_REJECTED',
    'This configuration cannot be published; nothing was changed.',
    {
      detail: fault.message,
      at: { vhost: { id, domain, line: fault.line } },
    },
  );
}

/**
 * Checks every vhost that a plan affects. A change of the preamble affects all of them: an import of
 * a snippet that it no longer defines becomes an import of a file.
 * @throws as `assertContained`
 */
export async function assertPlanContained(
  { next, steps }: Plan<unknown>,
  dialect: Dialect,
): Promise<void> {
  const changed = steps.flatMap((step) => vhostAfter(step) ?? []);
  const isPreamble = steps.some(({ kind }) => kind === 'preamble');
  const others = isPreamble ? next.vhosts.filter(({ enabled }) => enabled) : [];
  await assertContained(new Set([...changed, ...others]), next.preamble, dialect);
}
