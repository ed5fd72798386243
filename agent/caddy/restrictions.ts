/** What signalbox refuses in a Caddyfile although Caddy would accept it. */
import {
  fileImports,
  mayReadMore,
  type ReadingOptions,
  structuralPlaceholder,
} from '../../src/shared/caddyfile/file-imports.ts';
import { ADMIN_IS_OURS, findOption } from '../../src/shared/caddyfile/globals.ts';
import { Failure } from '../../src/shared/failure.ts';
import { mayImport } from '../../src/shared/import-dirs.ts';
import { field, type Json, type JsonObject } from './json.ts';

export type RestrictionsDeps = {
  /** The syntax that the proxy's version understands, and the proxy's variables. */
  reading: () => Promise<ReadingOptions>;
  /** Absolute paths of the folders whose files may be imported. */
  importDirs: readonly string[];
};

export type Restrictions = {
  /**
   * Checks imports and placeholders. Call it before Caddy reads any file that `text` names.
   * @throws Failure PROXY_REJECTED
   */
  checkText(text: string): Promise<void>;
  /**
   * Checks the admin endpoint and the storage, which are not the operator's to set.
   * @param config what `text` was adapted to, before anything is added to it
   * @throws Failure PROXY_REJECTED
   */
  checkConfig(config: JsonObject, text: string): void;
};

export function createRestrictions(deps: RestrictionsDeps): Restrictions {
  const { reading, importDirs } = deps;

  return {
    async checkText(text) {
      if (!mayReadMore(text)) return;
      const options = await reading();
      const forbidden = fileImports(text, options).find(
        ({ target }) => !mayImport(target, importDirs, options),
      );
      if (forbidden) throw refused('Only snippets can be imported, not files.', forbidden.line);
      const structural = structuralPlaceholder(text, options);
      if (structural !== null) throw refused(structural);
    },

    checkConfig(config, text) {
      if (config.admin !== undefined) throw refused(ADMIN_IS_OURS, findOption(text, 'admin')?.line);
      if (hasStorage(config)) throw refused(STORAGE);
    },
  };
}

const refused = (sentence: string, line?: number): Failure =>
  new Failure('PROXY_REJECTED', 'This configuration cannot be published; nothing was changed.', {
    detail: sentence,
    at: { line },
  });

const STORAGE = 'The storage option is not allowed: it would move the certificates and their keys.';

/** Whether an adapted configuration sets a storage, for everything or for one issuer. */
export function hasStorage(config: JsonObject): boolean {
  if (config.storage !== undefined) return true;
  const left: Json[] = [config.apps ?? null];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (field(value, 'storage', 'module') !== undefined) return true;
    left.push(...Object.values(value));
  }
  return false;
}
