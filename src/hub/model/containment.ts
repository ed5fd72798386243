/** Checks that a config stays inside its own block and imports no files. */
import { createPauses } from '../../shared/async.ts';
import { type CheckOptions, checkConfig } from '../../shared/caddyfile/check.ts';
import { dialectsFor, type Dialect as Syntax } from '../../shared/caddyfile/dialect.ts';
import { checkPreamble, snippetNames } from '../../shared/caddyfile/preamble.ts';
import { MAX_ALL_WORDS } from '../../shared/caddyfile/tokenizer.ts';
import { Failure, type FailureExtra } from '../../shared/failure.ts';
import { fillUpstream, renderSite } from '../caddyfile/render.ts';
import { siteForm } from '../caddyfile/site.ts';
import { indivisibleIn } from '../caddyfile/site-block.ts';
import { type Imports, readImports } from '../caddyfile/snippets.ts';
import { labelOf, type StoredAgent } from './agent.ts';
import { isPlacedOn, policiesOn, siteOf } from './applied.ts';
import type { Plan } from './changes.ts';
import { asksForCertificate, assertCertificates } from './client-certificates.ts';
import type { SiteSet, Vhost } from './vhost.ts';

/** What these checks need to know of the proxy: its syntax, and folders it may import from. */
export type Dialect = Syntax & { importDirs?: readonly string[] };

/**
 * Renders each vhost as well, so that rendering all of them later takes no time.
 * @param vhosts all in one call: reading a long preamble for each of them would take minutes
 * @throws Failure PROXY_REJECTED with the vhost and the line of its config
 */
export async function assertContained(
  vhosts: Iterable<Vhost>,
  { preamble, policies }: Pick<SiteSet, 'preamble' | 'policies'>,
  dialect: Dialect,
): Promise<void> {
  const pause = createPauses();
  // As Caddy will read it: an upstream inside a placeholder would move the end of the placeholder.
  const filled = Array.from(vhosts, (vhost) => ({
    ...vhost,
    config: fillUpstream(vhost.config, vhost.upstream),
  }));
  for (const one of dialectsFor(dialect, [preamble, ...filled.map(({ config }) => config)])) {
    const options: CheckOptions = {
      ...one,
      snippets: snippetNames(preamble, one),
      words: { left: MAX_ALL_WORDS },
    };
    for (const vhost of filled) {
      assertInBlock(vhost, options);
      await pause();
    }
  }
  const guarded = filled.filter((vhost) => policiesOn(vhost, { policies }).length > 0);
  if (guarded.length > 0) {
    const imports = readImports(preamble, dialect);
    for (const vhost of guarded) {
      assertDivisible(vhost, imports);
      await pause();
    }
  }
  for (const vhost of vhosts) {
    const site = siteOf(vhost, { policies });
    if (site.guards.length === 0) renderSite(site);
    await pause();
  }
}

/** @throws Failure if it imports what cannot be put where policies need it */
function assertDivisible({ id, domain, config }: Vhost, imports: Imports): void {
  const found = indivisibleIn(domain, config, imports);
  if (!found) return;
  throw refused({
    detail: `A site with policies cannot import the snippet ${found.name} like this: it mixes directives for the whole site (bind, log, tls, handle_errors) with others.`,
    hint: 'Write its content into the config instead, or move these directives to a separate snippet. A snippet without arguments is no problem if it is imported only once.',
    at: { vhost: { id, domain, line: found.line } },
  });
}

function assertInBlock({ id, domain, config }: Vhost, options: CheckOptions): void {
  const fault = checkConfig(config, siteForm(domain, config).form, options);
  if (!fault) return;
  throw refused({
    detail: fault.message,
    hint: fault.hint,
    at: { vhost: { id, domain, line: fault.line } },
  });
}

const refused = (extra: FailureExtra): Failure =>
  new Failure(
    'PROXY_REJECTED',
    'This configuration cannot be published; nothing was changed.',
    extra,
  );

/** @throws Failure PROXY_REJECTED with the preamble's line if it could reach beyond its end */
export function assertPreambleContained(preamble: string, dialect: Dialect): void {
  for (const one of dialectsFor(dialect, [preamble])) {
    const fault = checkPreamble(preamble, one);
    if (!fault) continue;
    throw new Failure('PROXY_REJECTED', 'This preamble cannot be published; nothing was changed.', {
      detail: fault.message,
      hint: fault.hint,
      at: { preamble: { line: fault.line } },
    });
  }
}

/**
 * Checks every vhost that a plan affects, as each proxy will read it that is to serve it. A change of
 * the preamble affects all of them: an import of a snippet that it no longer defines becomes an import
 * of a file.
 * @param dialects of the agents' proxies, by the agents' ids
 * @throws as `assertContained` and `assertCertificates`, with the agent's name if not all of them read it alike
 */
export async function assertPlanContained(
  { next, steps }: Plan<unknown>,
  dialects: ReadonlyMap<number, Dialect>,
): Promise<void> {
  const changed = steps.flatMap((step) => step.vhosts);
  const isPreamble = steps.some(({ kind }) => kind === 'preamble');
  const others = isPreamble ? next.vhosts.filter(({ enabled }) => enabled) : [];
  const vhosts = [...new Set([...changed, ...others])];
  const readings = readingsOf(next, dialects);
  for (const { agents, preamble, dialect } of readings) {
    try {
      if (isPreamble) assertPreambleContained(preamble, dialect);
      const here = vhosts.filter(servedBy(agents));
      await assertContained(here, { ...next, preamble }, dialect);
      if (!next.policies.some(asksForCertificate)) continue;
      const ids = new Set(here.map(({ id }) => id));
      await assertCertificates(ids, { ...next, preamble }, dialect, servedBy(agents));
    } catch (error) {
      const [first] = readings.length > 1 ? agents : [];
      const agent = first && labelOf(first.id, next.agents);
      if (agent === undefined || !(error instanceof Failure)) throw error;
      throw error.about({ ...error.at, agent });
    }
  }
}

const servedBy = (agents: readonly StoredAgent[]) => (vhost: Vhost) =>
  agents.some(({ id }) => isPlacedOn(vhost, id));

type Reading = { preamble: string; dialect: Dialect; agents: StoredAgent[] };

/** How configs are read, each way once. Nobody may have the common preamble, which others can get. */
function readingsOf({ preamble, agents }: SiteSet, dialects: ReadonlyMap<number, Dialect>) {
  const readings: Reading[] = [];
  function readingWith(preamble: string, dialect: Dialect): Reading {
    const isSame = (one: Reading) =>
      one.preamble === preamble && JSON.stringify(one.dialect) === JSON.stringify(dialect);
    const known = readings.find(isSame);
    if (known) return known;
    const reading = { preamble, dialect, agents: [] };
    readings.push(reading);
    return reading;
  }
  for (const agent of agents) {
    const dialect = dialects.get(agent.id);
    if (dialect) readingWith(agent.preamble ?? preamble, dialect).agents.push(agent);
  }
  for (const dialect of dialects.values()) readingWith(preamble, dialect);
  return readings;
}
