/** Imports a database of Nginx Proxy Manager in one publish, all or none. */

import type { StartReplay } from '../../../hub/core.ts';
import { outcomeOf } from '../../../hub/http/schemas.ts';
import { renderSet } from '../../../hub/model/applied.ts';
import {
  type ContentFor,
  createCertificateChange,
} from '../../../hub/model/certificate-changes.ts';
import type { Author } from '../../../hub/model/changes.ts';
import { type Pair, readPair } from '../../../hub/model/pem.ts';
import { createPolicyChange } from '../../../hub/model/policy-changes.ts';
import { isNamed, type SiteSet } from '../../../hub/model/vhost.ts';
import type { Publisher } from '../../../hub/publish/publisher.ts';
import type { Applied, Demands } from '../../../hub/publish/queue.ts';
import { Failure, fullSentenceOf } from '../../../shared/failure.ts';
import { importChange, inTermsOf, keysNamed, published } from '../../import/import-change.ts';
import type { Imported, KeepImported } from '../../import/importer.ts';
import { type MergedSite, type MergeOptions, mergeView } from '../../import/merge.ts';
import { type MovedSite, withoutConfig } from './hosts.ts';
import { type Moving, movingOf } from './moving.ts';
import type { Note } from './notes.ts';
import { freeName, keyOf, namedIn, prepared } from './policies.ts';
import { readNpm } from './read.ts';

type NpmImporterDeps = {
  publisher: Publisher;
  /** What is stored of a pair. */
  contentFor: (pair: Pair) => ContentFor;
  now: () => Date;
};

/** The answer to an import of a Caddyfile, and what there is to say besides. */
type MovedIn = Imported & { notes: Note[] };

type NpmImportOptions = Pick<MergeOptions, 'taken'> & {
  /** Domains of sites that are replaced in any case. */
  replace: readonly string[];
  /** Whether uploaded certificates come along, with their keys. */
  certificates: boolean;
  /** Whether to only report what would be imported. */
  dryRun: boolean;
  /** Starts a replay of it as well; null: there is to be none. */
  replay: StartReplay | null;
  demands: Pick<Demands, 'replace' | 'requireAll'>;
  author: Author;
  /** Has the answer stored with the change. */
  keep: KeepImported<MovedIn>;
};

/** Sites that are refused are left off one after the other: each costs a validation. */
const MAX_REFUSED = 20;

export type NpmImporter = {
  /** @throws Failure, with nothing changed: INVALID_REQUEST, DOMAIN_TAKEN, and as any publish */
  run(file: Uint8Array, options: NpmImportOptions): Promise<MovedIn>;
};

export function createNpmImporter({ publisher, contentFor, now }: NpmImporterDeps): NpmImporter {
  return {
    async run(file, { taken, replace, dryRun, replay, demands, author, keep, ...options }) {
      const {
        sites,
        notes: found,
        ...moving
      } = await movingOf(readNpm(file), options.certificates);
      const notes = [...found];
      const replaced = keysNamed(replace, sites);
      const policies = await prepared(moving.policies, publisher.current(), dryRun);
      const pairs = moving.certificates.flatMap(({ name, pair }) => {
        try {
          return pair ? [{ name, pair: readPair(pair.chain, pair.key, now()) }] : [];
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          const text = `The certificate “${name}” stays behind. ${error.message}`;
          notes.push({ domain: null, level: 'warning', text });
          return [];
        }
      });
      const dialect = await publisher.dialect();
      const refused = new Set<MovedSite>();
      /** How many operations come before the first site. */
      let before = 0;
      const importing = importChange({ taken, replaced }, dialect, (set) => {
        const names = namedIn(set, policies);
        const first = [
          ...newIn(set, pairs).map(({ name, pair }) =>
            createCertificateChange(name, contentFor(pair)),
          ),
          ...[...names.values()].flatMap(({ policy }) =>
            policy ? [createPolicyChange({ ...policy, everywhere: false })] : [],
          ),
        ];
        before = first.length;
        const moved = sites.map((site) => ({
          ...(refused.has(site) ? withoutConfig(site) : site),
          policies: site.policies.map((wanted) => names.get(keyOf(wanted))?.name ?? ''),
          tags: ['npm'],
        }));
        return { first, sites: moved };
      });
      const answer = (made: readonly MergedSite[], set: SiteSet) =>
        answerOf(made, set, { sites, notes }, publisher.version());
      const stored = (applied: Applied<MergedSite[]>, set: SiteSet): MovedIn => ({
        ...answer(applied.result, set),
        ...outcomeOf(applied),
      });
      for (;;) {
        try {
          if (dryRun) {
            const { result, next } = await publisher.rehearse(importing, demands);
            const vhosts = result.map(({ wanted: { domain, config, upstream } }) => ({
              id: null,
              domain,
              config,
              upstream,
            }));
            const started = replay && { replay: await replay(importing) };
            return { ...answer(result, next), vhosts, ...started };
          }
          const applied = await publisher.apply(importing, author, {
            ...demands,
            ...keep((draft, next) => ({ body: stored(draft, next) })),
          });
          return stored(applied, publisher.current());
        } catch (error) {
          const site = atFault(error, sites, before + 1);
          if (!site || refused.has(site) || refused.size === MAX_REFUSED) {
            throw isBefore(error, before) ? error.about({}) : inTermsOf(error, sites, before + 1);
          }
          refused.add(site);
          const text = `Its config was refused, and is now a comment in it: ${fullSentenceOf(error as Failure)}`;
          notes.push({ domain: site.domain, level: 'error', text });
        }
      }
    },
  };
}

/** @param made what became of the sites, in their order @param set with them */
function answerOf(
  made: readonly MergedSite[],
  set: SiteSet,
  { sites, notes }: Pick<Moving, 'sites' | 'notes'>,
  version: string | null,
): MovedIn {
  const ids = new Set(made.map(({ vhost }) => vhost.id));
  const own = { ...set, vhosts: set.vhosts.filter(({ id }) => ids.has(id)) };
  // Somebody has switched it on since an import before.
  const decided = new Set(
    sites.flatMap(({ domain }, at) => (made[at]?.vhost.enabled ? domain : [])),
  );
  return {
    preamble: set.preamble,
    vhosts: published(made),
    skipped: [],
    proxyfile: renderSet(own, version).text,
    merge: mergeView({ text: set.preamble, parts: [] }, made, set),
    notes: notes.filter(({ level, domain }) => level !== 'error' || !decided.has(domain ?? '')),
  };
}

type NamedPair = { name: string; pair: Pair };

/** Those that a set does not keep yet, under free names. */
function newIn({ certificates }: SiteSet, pairs: readonly NamedPair[]): NamedPair[] {
  const names = new Set(certificates.map(({ name }) => name));
  const chains = new Set(certificates.map(({ chain }) => chain));
  return pairs.flatMap(({ name: wanted, pair }) => {
    if (chains.has(pair.chain)) return [];
    const name = freeName(wanted, (one) => names.has(one));
    names.add(name);
    chains.add(pair.chain);
    return [{ name, pair }];
  });
}

/** Whether what fails is none of the sites. */
const isBefore = (error: unknown, before: number): error is Failure =>
  error instanceof Failure && (error.at.operation ?? Number.POSITIVE_INFINITY) <= before;

/** The site that is refused for what it says; undefined if it is none. @param first as of `inTermsOf` */
function atFault(
  error: unknown,
  sites: readonly MovedSite[],
  first: number,
): MovedSite | undefined {
  if (!(error instanceof Failure) || !REFUSALS.includes(error.code)) return undefined;
  const { operation, vhost = error.at.own } = error.at;
  if (vhost === undefined) return operation === undefined ? undefined : sites[operation - first];
  return sites.find((site) => isNamed(vhost.domain, site));
}

const REFUSALS: readonly string[] = ['PROXY_REJECTED', 'INVALID_REQUEST'];
