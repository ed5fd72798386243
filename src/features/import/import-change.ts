/** What imports have in common: the change that merges the sites of a file into what is there. */
import { addressKey } from '../../hub/caddyfile/address.ts';
import { type Change, sequence } from '../../hub/model/changes.ts';
import { withoutLoops } from '../../hub/model/sign-in-loop.ts';
import type { SiteSet, Vhost } from '../../hub/model/vhost.ts';
import type { TokenizeOptions } from '../../shared/caddyfile/tokenizer.ts';
import { Failure } from '../../shared/failure.ts';
import { nearest } from '../../shared/nearest.ts';
import { type MergedSite, type MergeOptions, mergeSite, type SiteToMerge } from './merge.ts';
import type { ImportAnswer } from './schemas.ts';

type Named = { domain: string };

/**
 * Merges the sites of a file, with what comes before them, into what is there.
 * @param replaced the normal forms of the domains that are replaced in any case
 * @param bring what the file brings to a set: changes that come first, and then its sites
 * @throws Failure, when planned, as its changes, with the number of the operation
 */
export const importChange = (
  { taken, replaced }: Pick<MergeOptions, 'taken'> & { replaced: ReadonlySet<string> },
  dialect: TokenizeOptions,
  bring: (set: SiteSet) => { first: readonly Change<unknown>[]; sites: readonly SiteToMerge[] },
): Change<MergedSite[]> =>
  withoutLoops(async (set, time) => {
    const { first, sites } = bring(set);
    const merging = sites.map((site) => {
      const isReplaced = replaced.has(addressKey(site.domain));
      return mergeSite(site, isReplaced ? 'replace' : taken, dialect, set);
    });
    const outcome = await sequence<unknown>([...first, ...merging])(set, time);
    const madeOf = (results: unknown[]) => results.slice(first.length) as MergedSite[];
    if ('done' in outcome) return { done: madeOf(outcome.done) };
    return { ...outcome, result: madeOf(outcome.result) };
  });

/** The normal forms of domains. @throws Failure INVALID_REQUEST if the file has no such site */
export function keysNamed(domains: readonly string[], file: readonly Named[]): Set<string> {
  const known = new Set(file.map(({ domain }) => addressKey(domain)));
  const wrong = domains.find((domain) => !known.has(addressKey(domain)));
  if (wrong === undefined) return new Set(domains.map((domain) => addressKey(domain)));
  const near = nearest(
    wrong,
    file.map(({ domain }) => domain),
  );
  throw new Failure('INVALID_REQUEST', `The file has no site ${wrong}.`, {
    hint: near && `Did you mean ${near}?`,
    at: { field: 'replace' },
  });
}

/** The sites of a file that are there now. */
export const published = (made: readonly MergedSite[]) =>
  made
    .filter(({ action }) => action !== 'skip')
    .map(({ vhost: { id, domain, config, upstream } }) => ({ id, domain, config, upstream }));

/** The sites that an import has created or replaced, as they are in a set; none of a dry run. */
export function changedBy(
  { vhosts, merge }: Pick<ImportAnswer, 'vhosts' | 'merge'>,
  set: SiteSet,
): Vhost[] {
  const same = new Set(
    merge.sites.flatMap(({ domain, action }) => (action === 'keep' ? domain : [])),
  );
  const ids = new Set(vhosts.flatMap(({ id, domain }) => (same.has(domain) ? [] : id)));
  return set.vhosts.filter(({ id }) => ids.has(id));
}

/**
 * Names the site or the preamble that a refused operation comes from.
 * @param first the number of the operation that creates the first site
 */
export function inTermsOf(error: unknown, sites: readonly Named[], first: number): unknown {
  if (!(error instanceof Failure) || error.at.operation === undefined) return error;
  const { operation, line } = error.at;
  const site = sites[operation - first];
  return error.about(
    site ? { vhost: { id: null, domain: site.domain, line } } : { preamble: { line } },
  );
}
