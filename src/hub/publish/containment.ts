/** Whether a config stays in its own block and reads no files. Pure. */
import { type CheckOptions, checkConfig } from '../../shared/caddyfile/check.ts';
import { snippetNames } from '../../shared/caddyfile/preamble.ts';
import { Failure } from '../../shared/failure.ts';
import { fillUpstream } from '../caddyfile/render.ts';
import { siteForm } from '../caddyfile/site.ts';
import { type Plan, vhostAfter } from './changes.ts';
import type { Vhost } from './vhost.ts';

/** The proxy's dialect, as far as these checks depend on it. */
export type Dialect = { heredocs: boolean; importDirs?: readonly string[] };

/** @throws Failure PROXY_REJECTED with the line within the config */
export function assertContained(vhost: Vhost, preamble: string, dialect: Dialect): void {
  const options: CheckOptions = { ...dialect, snippets: snippetNames(preamble) };
  // As Caddy will read it: an upstream inside a placeholder would change where that one ends.
  const config = fillUpstream(vhost.config, vhost.upstream);
  const fault = checkConfig(config, siteForm(vhost.domain, config).form, options);
  if (!fault) return;
  const { id, domain } = vhost;
  throw new Failure(
    'PROXY_REJECTED',
    'This configuration cannot be published; nothing was changed.',
    { detail: fault.message, at: { vhost: { id, domain, line: fault.line } } },
  );
}

/**
 * Checks every vhost that a plan affects: all of them if it changes the preamble, because a snippet
 * that is removed leaves a file's import behind.
 * @throws as assertContained
 */
export function assertPlanContained({ next, steps }: Plan<unknown>, dialect: Dialect): void {
  const changed = steps.flatMap((step) => vhostAfter(step) ?? []);
  const isPreamble = steps.some(({ kind }) => kind === 'preamble');
  const others = isPreamble ? next.vhosts.filter(({ enabled }) => enabled) : [];
  for (const vhost of new Set([...changed, ...others])) {
    assertContained(vhost, next.preamble, dialect);
  }
}
