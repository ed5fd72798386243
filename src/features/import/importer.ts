/** Imports a Caddyfile as preamble and vhosts, and proves that they mean the same to the proxy. */
import type { Static } from 'elysia';
import type { AgentClient } from '../../hub/agents/client.ts';
import { notReplaced, sayNotReplaced } from '../../hub/caddyfile/not-replaced.ts';
import { render } from '../../hub/caddyfile/render.ts';
import { type Outcome, outcomeOf, type Replaying, warned } from '../../hub/http/schemas.ts';
import { agentNamed, renderSet, setFor, sitesOf } from '../../hub/model/applied.ts';
import { type Author, type Change, sequence } from '../../hub/model/changes.ts';
import { assertContained, assertPreambleContained } from '../../hub/model/containment.ts';
import { newDoubts } from '../../hub/model/doubts.ts';
import { agentPreambleChange, preambleChange } from '../../hub/model/preamble-changes.ts';
import { isRejection } from '../../hub/model/refusal.ts';
import { EMPTY_SET, type SiteSet } from '../../hub/model/vhost.ts';
import { createChange } from '../../hub/model/vhost-changes.ts';
import type { Publisher } from '../../hub/publish/publisher.ts';
import type { Applied, Demands } from '../../hub/publish/queue.ts';
import { hintWithin } from '../../hub/publish/target/hints.ts';
import { mayImport } from '../../shared/caddyfile/file-imports.ts';
import { Failure, sentenceOf } from '../../shared/failure.ts';
import { expandSites } from './caddyfile/expand.ts';
import { filesAt } from './caddyfile/imported-files.ts';
import { inlineImports, type ReadImport } from './caddyfile/inline.ts';
import { type ImportedSite, type Skipped, splitCaddyfile } from './caddyfile/split.ts';
import { blankLeftOut, comparable, firstDifference } from './compare.ts';
import { assertReadable } from './first-pass.ts';
import { importChange, inTermsOf, keysNamed, published } from './import-change.ts';
import {
  type MergedPreamble,
  type MergedSite,
  type MergeOptions,
  mergedPreamble,
  mergeView,
} from './merge.ts';
import type { MergeView } from './schemas.ts';

type ImporterDeps = {
  publisher: Publisher;
  /** Reads files that a Caddyfile imports, if that is allowed. */
  readImport: ReadImport;
  now: () => Date;
};

/** What a file becomes; `vhosts` have ids only if they were published. */
export type Imported = {
  preamble: string;
  vhosts: (ImportedSite & { id: number | null })[];
  skipped: Skipped[];
  proxyfile: string;
  merge: MergeView;
} & Static<typeof Outcome> &
  Static<typeof Replaying>;

type ImportOptions = MergeOptions & {
  /** Whether to only report what would be imported. */
  dryRun?: boolean | undefined;
  /** Starts a replay of it as well; null: there is to be none. */
  replay: ((change: Change<unknown>) => Promise<string>) | null;
  /** The agent whose own preamble it becomes, and on which alone its sites are placed; else all. */
  agent?: string | undefined;
  author: Author;
  /** Has the answer stored with the change. */
  keep: KeepImported;
};

/** @param draft the answer, when the change is stored */
export type KeepImported<Body = Imported> = (
  draft: (applied: Applied<MergedSite[]>, next: SiteSet) => { body: Body },
) => Demands;

export type Importer = {
  /**
   * @throws Failure, with nothing changed: PROXY_REJECTED if the proxy does not accept the file,
   * IMPORT_DIFFERS, DOMAIN_TAKEN, PREAMBLE_DIFFERS, INVALID_REQUEST, and as any publish
   */
  run(file: string, options: ImportOptions): Promise<Imported>;
};

/** Number of the operation that creates the first site; the preamble is operation 1. */
const FIRST_SITE = 2;

export function createImporter(deps: ImporterDeps): Importer {
  const { publisher, readImport, now } = deps;

  /** @throws Failure IMPORT_DIFFERS unless `set` means the same as what a file was adapted to */
  async function prove(client: AgentClient, original: unknown, set: SiteSet): Promise<void> {
    const ours = await client.adapt(render(set.preamble, sitesOf(set)).text).catch((error) => {
      if (!(error instanceof Failure) || error.code !== 'PROXY_REJECTED') throw error;
      throw differs(`the proxy would not accept the result: ${sentenceOf(error) ?? ''}`);
    });
    const place = firstDifference(comparable(original), comparable(ours.config));
    if (place !== null) throw differs(`the configuration would differ at ${place}`);
  }

  /** @throws Failure NOT_FOUND */
  async function proxyOf(name?: string) {
    const { client } = name ? publisher.agents.named(name) : publisher.agents.first();
    const dialect = await publisher.dialect(name);
    const environment = publisher.environment(name);
    return { client, dialect, version: publisher.version(name), environment };
  }

  /** Those that the sites are placed on. @throws Failure NOT_FOUND */
  function agentsFor(name?: string) {
    const { agents } = publisher.current();
    return name === undefined ? agents : [agentNamed(name, publisher.current())];
  }

  return {
    async run(file, options) {
      // The rest of a validation can wait: what means the same is validated before it is published.
      const { client, dialect, version, environment } = await proxyOf(options.agent);
      await assertReadable(file, dialect);
      const left = notReplaced(file, version);
      if (left && version !== null)
        throw differs(`line ${left.line}: ${sayNotReplaced(left, version)}`);
      const { config: original } = await client
        .adapt(blankLeftOut(file, dialect))
        .catch((error) => Promise.reject(explained(error, file, { version, environment })));
      const inlined = await inlineImports(file, readImport, dialect);
      const split = await splitCaddyfile(expandSites(inlined, dialect), dialect);
      if (!split) throw differs('its blocks cannot be distinguished');
      const { preamble, sites, skipped } = split;
      const alone = sequence<unknown>([
        preambleChange(preamble),
        ...sites.map((site) => createChange(site)),
      ]);
      let merged: MergedPreamble = { text: '', parts: [] };
      const { agent: name, taken } = options;
      const replaced = keysNamed(options.replace ?? [], sites);
      const importing = importChange({ taken, replaced }, dialect, (set) => {
        const own = name === undefined ? set : setFor(set, agentNamed(name, set).id);
        merged = mergedPreamble(preamble, own, options, dialect);
        const { text } = merged;
        return name === undefined
          ? { first: [preambleChange(text)], sites }
          : {
              first: [agentPreambleChange(name, text)],
              sites: sites.map((site) => ({ ...site, agents: [name] })),
            };
      });
      try {
        const imported = await appliedToNothing(alone, now()).catch((error) =>
          Promise.reject(twiceInFile(error, file, sites)),
        );
        assertPreambleContained(imported.preamble, dialect);
        await assertContained(imported.vhosts, imported, dialect);
        await prove(client, original, imported);
        const own = { ...imported, agents: agentsFor(options.agent) };
        const doubts = newDoubts(EMPTY_SET, own, publisher);
        if (options.dryRun) {
          const { refusal } = await publisher.preview(importing);
          if (refusal) throw refusal;
          const outcome = await importing(publisher.current(), now());
          const made = 'done' in outcome ? outcome.done : outcome.result;
          const merge = mergeView(merged, made, publisher.current());
          const vhosts = sites.map((site) => ({ ...site, id: null }));
          const { text } = render(preamble, sitesOf(imported));
          const replay = options.replay && { replay: await options.replay(importing) };
          const dry = { preamble, vhosts, skipped, proxyfile: text, merge };
          return { ...dry, ...warned(doubts), ...replay };
        }
        const answer = (applied: Applied<MergedSite[]>, set: SiteSet): Imported => {
          const outcome = outcomeOf(applied);
          const shown = name === undefined ? set : setFor(set, agentNamed(name, set).id);
          return {
            preamble: merged.text,
            vhosts: published(applied.result),
            skipped,
            proxyfile: renderSet(shown, version).text,
            merge: mergeView(merged, applied.result, set),
            ...outcome,
            ...warned([...doubts, ...(outcome.warnings ?? [])]),
          };
        };
        const applied = await publisher.apply(importing, options.author, {
          replace: true,
          unchecked: true,
          ...options.keep((stored, next) => ({ body: answer(stored, next) })),
        });
        return answer(applied, publisher.current());
      } catch (error) {
        throw inTermsOf(error, sites, FIRST_SITE);
      }
    },
  };
}

/** The proxy's refusal of the file itself, with how to fix it. */
function explained(error: unknown, file: string, proxy: Parameters<typeof hintWithin>[2]): unknown {
  if (!isRejection(error)) return error;
  const hint = hintWithin(error, { text: file, line: error.at.line }, proxy);
  return hint === undefined ? error : error.hinting(hint);
}

/** The set that a change makes of an empty one. */
async function appliedToNothing(change: Change<unknown>, time: Date): Promise<SiteSet> {
  const plan = await change(EMPTY_SET, time);
  return 'done' in plan ? EMPTY_SET : plan.next;
}

/** A name that several blocks of a file have: Caddy accepts that if each listens on its own address. */
function twiceInFile(
  error: unknown,
  file: string,
  sites: readonly Pick<ImportedSite, 'domain'>[],
): unknown {
  if (!(error instanceof Failure) || error.code !== 'DOMAIN_TAKEN') return error;
  const { domain = '' } = sites[(error.at.operation ?? 0) - FIRST_SITE] ?? {};
  const lines = file
    .split('\n')
    .flatMap((line, at) => (line.trimStart().startsWith(domain) ? [at + 1] : []));
  const where = lines.length > 1 ? ` (lines ${lines.join(' and ')})` : '';
  return new Failure('DOMAIN_TAKEN', `The file has ${domain} twice${where}.`, {
    hint: 'A site of signalbox has one block: write both into one, and tell visitors apart by `remote_ip` rather than by `bind`, or import one of the two.',
  });
}

const differs = (detail: string) =>
  new Failure('IMPORT_DIFFERS', 'The imported file would behave differently.', { detail });

/**
 * Returns null for a target that may not, or cannot, be read.
 * @param dirs the folders whose files may be imported
 */
export const createReadImport =
  (dirs: readonly string[]): ReadImport =>
  (target, from) =>
    mayImport(target, dirs, {}, from) ? filesAt(target, from) : null;
