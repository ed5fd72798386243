/** Turns a Caddyfile into preamble and vhosts, and proves that they mean the same. */

import { adminOption, globalOptions, withOptions } from '../../shared/caddyfile/globals.ts';
import { Failure, sentenceOf } from '../../shared/failure.ts';
import type { AgentClient } from '../agent-client/client.ts';
import { inlineImports, type ReadImport } from '../caddyfile/inline.ts';
import { render } from '../caddyfile/render.ts';
import { type ImportedSite, type Skipped, splitCaddyfile } from '../caddyfile/split.ts';
import {
  type Author,
  type Change,
  createChange,
  preambleChange,
  sequence,
} from '../publish/changes.ts';
import { assertContained } from '../publish/containment.ts';
import type { Publisher } from '../publish/publisher.ts';
import type { SiteSet, Vhost } from '../publish/vhost.ts';
import { comparable, firstDifference } from './compare.ts';

export type ImporterDeps = {
  publisher: Publisher;
  agent: AgentClient;
  /**
   * Whether options of the first preamble (one machine) stay unless the file sets them: the ports,
   * which may be unprivileged, and `skip_install_trust`.
   */
  keepFirst: boolean;
  /** Reads the files that may be imported. */
  readImport: ReadImport;
  now: () => Date;
};

/** What a file becomes; `vhosts` have no id if nothing was published. */
export type Imported = {
  preamble: string;
  vhosts: (ImportedSite & { id: number | null })[];
  skipped: Skipped[];
  proxyfile: string;
};

export type Importer = {
  /**
   * @param options.dryRun only say what would be imported
   * @throws Failure PROXY_REJECTED if the proxy does not accept the file, IMPORT_DIFFERS,
   * DOMAIN_TAKEN, and as any publish; nothing is changed
   */
  run(file: string, options: { dryRun: boolean; author: Author }): Promise<Imported>;
};

const EMPTY: SiteSet = { preamble: '', vhosts: [], nextId: 1 };
/** The preamble is the first of our operations, the first site the second. */
const FIRST_SITE = 2;
const KEPT_OPTIONS = ['http_port', 'https_port', 'skip_install_trust'];

export function createImporter(deps: ImporterDeps): Importer {
  const { publisher, agent, keepFirst, readImport, now } = deps;

  /** @throws Failure IMPORT_DIFFERS unless `set` means what `file` does */
  async function prove(file: string, set: SiteSet): Promise<void> {
    const original = await agent.adapt(file);
    const ours = await agent.adapt(render(set.preamble, set.vhosts).text).catch((error) => {
      if (!(error instanceof Failure) || error.code !== 'PROXY_REJECTED') throw error;
      throw differs(`the proxy would not accept it: ${sentenceOf(error) ?? ''}`);
    });
    const place = firstDifference(comparable(original.config), comparable(ours.config));
    if (place !== null) throw differs(`the configuration would differ at ${place}`);
  }

  return {
    async run(file, options) {
      // Ports that it does not set may be different in the end.
      await agent.validate(blankAdmin(file), !keepFirst);
      const dialect = await publisher.dialect();
      const split = splitCaddyfile(inlineImports(file, readImport, dialect), dialect);
      if (!split) throw differs('its blocks cannot be told apart');
      const { preamble, sites, skipped } = split;
      const creates = sites.map((site) => createChange(site));
      let text = preamble;
      const importing: Change<unknown[]> = (set, time) => {
        text = keepFirst ? withFirst(preamble, set.preamble) : preamble;
        return sequence<unknown>([preambleChange(text), ...creates])(set, time);
      };
      try {
        const alone = planned(importing, now());
        for (const vhost of alone.vhosts) assertContained(vhost, alone.preamble, dialect);
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
function planned(change: Change<unknown>, time: Date): SiteSet {
  const plan = change(EMPTY, time);
  return 'done' in plan ? EMPTY : plan.next;
}

/** A refusal of one of our operations names the site instead, or the preamble. */
function named(error: unknown, sites: readonly ImportedSite[]): unknown {
  if (!(error instanceof Failure) || error.at.operation === undefined) return error;
  const { operation, line } = error.at;
  const site = sites[operation - FIRST_SITE];
  return error.about(
    site ? { vhost: { id: null, domain: site.domain, line } } : { preamble: { line } },
  );
}

/** The file with its `admin` option blanked out, which the import leaves out; lines stay as they are. */
function blankAdmin(file: string): string {
  const text = file.replace(/^\ufeff/, '');
  const option = adminOption(text);
  if (!option) return text;
  const { start, end } = option;
  return text.slice(0, start) + text.slice(start, end).replace(/[^\n]/g, ' ') + text.slice(end);
}

function withFirst(preamble: string, present: string): string {
  const set = new Set(globalOptions(preamble).map(({ name }) => name));
  const kept = globalOptions(present)
    .filter(({ name }) => KEPT_OPTIONS.includes(name) && !set.has(name))
    .map(({ start, end }) => present.slice(start, end));
  return withOptions(preamble, kept);
}

const differs = (detail: string) =>
  new Failure('IMPORT_DIFFERS', 'This file would not mean the same after the import.', { detail });
