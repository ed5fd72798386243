/** Somebody's Caddyfile becomes preamble and vhosts, and is proved to mean the same. */
import { Failure } from '../../shared/failure.ts';
import type { AgentClient } from '../agent-client/client.ts';
import { globalOptions, withOptions } from '../caddyfile/globals.ts';
import { inlineImports, type ReadImport } from '../caddyfile/inline.ts';
import { render } from '../caddyfile/render.ts';
import { type ImportedSite, type Skipped, splitCaddyfile } from '../caddyfile/split.ts';
import type { Author } from '../publish/changes.ts';
import { type Change, createChange, preambleChange, sequence } from '../publish/changes.ts';
import type { Publisher } from '../publish/publisher.ts';
import type { SiteSet, Vhost } from '../publish/vhost.ts';
import { comparable, firstDifference } from './compare.ts';

export type ImporterDeps = {
  publisher: Publisher;
  agent: AgentClient;
  /**
   * What the one-machine mode's first preamble set stays where a file does not set it: ports, which
   * may be unprivileged, and whether the machine's trust store is left alone.
   */
  keepFirst: boolean;
  /** Reads the files that may be imported. */
  readImport: ReadImport;
  now: () => Date;
};

export type Importer = ReturnType<typeof createImporter>;

/** What became of a file; `vhosts` have no id where nothing was published. */
export type Imported = {
  preamble: string;
  vhosts: (ImportedSite & { id: number | null })[];
  skipped: Skipped[];
  proxyfile: string;
};

const EMPTY: SiteSet = { preamble: '', vhosts: [], nextId: 1 };
/** How a list of changes names the one at fault; the preamble is the first of ours. */
const PLACE = /^operation (\d+): /;
const FIRST = ['http_port', 'https_port', 'skip_install_trust'];

export function createImporter(deps: ImporterDeps) {
  const { publisher, agent, keepFirst, readImport, now } = deps;

  /** @throws Failure IMPORT_DIFFERS where `set` does not mean what `file` does */
  async function prove(file: string, set: SiteSet): Promise<void> {
    const original = await agent.adapt(file);
    const ours = await agent.adapt(render(set.preamble, set.vhosts).text).catch((error) => {
      if (!(error instanceof Failure) || error.code !== 'PROXY_REJECTED') throw error;
      throw differs(`the proxy would not take it: ${error.detail ?? ''}`);
    });
    const place = firstDifference(comparable(original.config), comparable(ours.config));
    if (place !== null) throw differs(`the configuration would differ at ${place}`);
  }

  return {
    /**
     * @param options.dryRun only tell what would become of it
     * @throws Failure PROXY_REJECTED where the proxy does not take the file, IMPORT_DIFFERS,
     * DOMAIN_TAKEN, and as any publish; nothing is changed
     */
    async run(file: string, options: { dryRun: boolean; author: Author }): Promise<Imported> {
      // Ports that it does not set may be others in the end.
      await agent.validate(file, !keepFirst);
      const dialect = await publisher.dialect();
      const split = splitCaddyfile(inlineImports(file, readImport, dialect), dialect);
      if (!split) throw differs('its blocks cannot be told apart');
      const { preamble, sites, skipped } = split;
      const creates = sites.map((site) => createChange(site));
      let text = preamble;
      const importing: Change<unknown[]> = (set, at) => {
        text = keepFirst ? withFirst(preamble, set.preamble) : preamble;
        return sequence<unknown>([preambleChange(text), ...creates])(set, at);
      };
      try {
        const alone = planned(importing, now());
        await publisher.assertContained(alone);
        await prove(file, { ...alone, preamble });
        if (options.dryRun) {
          const { refusal } = await publisher.preview(importing);
          if (refusal) throw refusal;
          const vhosts = sites.map((site) => ({ ...site, id: null }));
          return { preamble, vhosts, skipped, proxyfile: render(preamble, alone.vhosts).text };
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
        throw named(error, sites);
      }
    },
  };
}

/** The set a change leads to from nothing. */
function planned(change: Change<unknown>, at: Date): SiteSet {
  const plan = change(EMPTY, at);
  return 'done' in plan ? EMPTY : plan.next;
}

/** A refusal that tells a place in our own list, with the site's name instead; others as they are. */
function named(error: unknown, sites: readonly ImportedSite[]): unknown {
  if (!(error instanceof Failure) || !PLACE.test(error.detail ?? '')) return error;
  const detail = error.detail?.replace(PLACE, (_, place) => {
    const site = sites[Number(place) - 2];
    return site ? `in ${site.domain}: ` : 'preamble: ';
  });
  return new Failure(error.code, error.message, { detail, line: error.line });
}

function withFirst(preamble: string, present: string): string {
  const set = new Set(globalOptions(preamble).map(({ name }) => name));
  const kept = globalOptions(present)
    .filter(({ name }) => FIRST.includes(name) && !set.has(name))
    .map(({ start, end }) => present.slice(start, end));
  return withOptions(preamble, kept);
}

const differs = (detail: string) =>
  new Failure('IMPORT_DIFFERS', 'This file would not mean the same after the import.', { detail });
