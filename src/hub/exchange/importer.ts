/** Imports a Caddyfile as preamble and vhosts, and proves that they mean the same to the proxy. */
import { globalOptions, optionsLeftOut, withOptions } from '../../shared/caddyfile/globals.ts';
import type { TokenizeOptions } from '../../shared/caddyfile/tokenizer.ts';
import { Failure, sentenceOf } from '../../shared/failure.ts';
import type { AgentClient } from '../agent-client/client.ts';
import { inlineImports, type ReadImport } from '../caddyfile/inline.ts';
import { render } from '../caddyfile/render.ts';
import { type ImportedSite, type Skipped, splitCaddyfile } from '../caddyfile/split.ts';
import { type Author, type Change, createChange, preambleChange } from '../publish/changes.ts';
import { assertContained, assertPreambleContained } from '../publish/containment.ts';
import type { Publisher } from '../publish/publisher.ts';
import { sequence } from '../publish/sequence.ts';
import type { SiteSet, Vhost } from '../publish/vhost.ts';
import { comparable, firstDifference } from './compare.ts';

export type ImporterDeps = {
  publisher: Publisher;
  agent: AgentClient;
  /**
   * Whether the ports and `skip_install_trust` of the present preamble stay unless the file sets
   * them. In one-machine mode the first preamble has them, and its ports may be unprivileged.
   */
  keepFirst: boolean;
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
};

export type Importer = {
  /**
   * @param options.dryRun whether to only report what would be imported
   * @throws Failure, with nothing changed: PROXY_REJECTED if the proxy does not accept the file,
   * IMPORT_DIFFERS, DOMAIN_TAKEN, and as any publish
   */
  run(file: string, options: { dryRun: boolean; author: Author }): Promise<Imported>;
};

const EMPTY: SiteSet = { preamble: '', vhosts: [], nextId: 1 };
/** Number of the operation that creates the first site; the preamble is operation 1. */
const FIRST_SITE = 2;
const KEPT_OPTIONS = ['http_port', 'https_port', 'skip_install_trust'];

export function createImporter(deps: ImporterDeps): Importer {
  const { publisher, agent, keepFirst, readImport, now } = deps;

  /** @throws Failure IMPORT_DIFFERS unless `set` means the same as what a file was adapted to */
  async function prove(original: unknown, set: SiteSet): Promise<void> {
    const ours = await agent.adapt(render(set.preamble, set.vhosts).text).catch((error) => {
      if (!(error instanceof Failure) || error.code !== 'PROXY_REJECTED') throw error;
      throw differs(`the proxy would not accept the result: ${sentenceOf(error) ?? ''}`);
    });
    const place = firstDifference(comparable(original), comparable(ours.config));
    if (place !== null) throw differs(`the configuration would differ at ${place}`);
  }

  return {
    async run(file, options) {
      // The rest of a validation can wait: what means the same is validated before it is published.
      const dialect = await publisher.dialect();
      const { config: original } = await agent.adapt(blankLeftOut(file, dialect));
      const split = await splitCaddyfile(inlineImports(file, readImport, dialect), dialect);
      if (!split) throw differs('its blocks cannot be told apart');
      const { preamble, sites, skipped } = split;
      const creates = sites.map((site) => createChange(site));
      let text = preamble;
      const importing: Change<unknown[]> = (set, time) => {
        text = keepFirst ? withKeptOptions(preamble, set.preamble) : preamble;
        return sequence<unknown>([preambleChange(text), ...creates])(set, time);
      };
      try {
        const imported = await appliedToNothing(importing, now());
        assertPreambleContained(imported.preamble, dialect);
        await assertContained(imported.vhosts, imported.preamble, dialect);
        await prove(original, { ...imported, preamble });
        if (options.dryRun) {
          const { refusal } = await publisher.preview(importing);
          if (refusal) throw refusal;
          const vhosts = sites.map((site) => ({ ...site, id: null }));
          return { preamble, vhosts, skipped, proxyfile: render(preamble, imported.vhosts).text };
        }
        const [, ...made] = (await publisher.apply(importing, options.author, true)) as [
          unknown,
          ...Vhost[],
        ];
        const { preamble: published, vhosts: all } = publisher.current();
        const vhosts = made.map(({ id, domain, config, upstream }) => ({
          id,
          domain,
          config,
          upstream,
        }));
        return { preamble: text, vhosts, skipped, proxyfile: render(published, all).text };
      } catch (error) {
        throw inTermsOfFile(error, sites);
      }
    },
  };
}

/** The set that a change makes of an empty one. */
async function appliedToNothing(change: Change<unknown>, time: Date): Promise<SiteSet> {
  const plan = await change(EMPTY, time);
  return 'done' in plan ? EMPTY : plan.next;
}

/** Names the site or the preamble that a refused operation comes from. */
function inTermsOfFile(error: unknown, sites: readonly ImportedSite[]): unknown {
  if (!(error instanceof Failure) || error.at.operation === undefined) return error;
  const { operation, line } = error.at;
  const site = sites[operation - FIRST_SITE];
  return error.about(
    site ? { vhost: { id: null, domain: site.domain, line } } : { preamble: { line } },
  );
}

/** The file with the options blanked out that the import leaves out; lines stay as they are. */
function blankLeftOut(file: string, dialect: TokenizeOptions): string {
  let text = file.replace(/^\ufeff/, '');
  for (const { start, end } of optionsLeftOut(text, dialect)) {
    text = text.slice(0, start) + text.slice(start, end).replace(/[^\n]/g, ' ') + text.slice(end);
  }
  return text;
}

/** `preamble` with those options of the present one that it does not set. */
function withKeptOptions(preamble: string, present: string): string {
  const set = new Set(globalOptions(preamble).map(({ name }) => name));
  const kept = globalOptions(present)
    .filter(({ name }) => KEPT_OPTIONS.includes(name) && !set.has(name))
    .map(({ start, end }) => present.slice(start, end));
  return withOptions(preamble, kept);
}

const differs = (detail: string) =>
  new Failure('IMPORT_DIFFERS', 'This file would not mean the same after the import.', { detail });
