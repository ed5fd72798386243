/** What signalbox refuses in a Caddyfile although Caddy would accept it. */
import {
  fileImports,
  mayReadMore,
  type ReadingOptions,
  structuralPlaceholder,
} from '../../src/shared/caddyfile/file-imports.ts';
import { Failure } from '../../src/shared/failure.ts';
import { mayImport, resolvePath } from '../../src/shared/import-dirs.ts';
import { createAdminMatcher } from './admin-address.ts';
import { field, type Json, type JsonObject, object } from './json.ts';
import { findForbiddenPath, type PathRules } from './paths.ts';

export type RestrictionsDeps = {
  /** Caddy's admin endpoint as a Caddyfile writes it. */
  admin: string;
  /** The syntax that the proxy's version understands, and the proxy's variables. */
  reading: () => Promise<ReadingOptions>;
  /** Absolute paths of the folders whose files may be imported. */
  importDirs: readonly string[];
  /** The paths that no configuration may name. */
  paths: Omit<PathRules, 'resolve'>;
};

export type Restrictions = {
  /**
   * Checks imports and placeholders. Call it before Caddy reads any file that `text` names.
   * @throws Failure PROXY_REJECTED
   */
  checkText(text: string): Promise<void>;
  /**
   * Checks the storage, every upstream and every path.
   * @param config the adapted configuration, before anything is added to it
   * @throws Failure PROXY_REJECTED
   */
  checkConfig(config: JsonObject): void;
};

export function createRestrictions(deps: RestrictionsDeps): Restrictions {
  const { admin, reading, importDirs } = deps;
  const paths = { ...deps.paths, resolve: resolvePath };
  const isAdmin = createAdminMatcher(admin, resolvePath);

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

    checkConfig(config) {
      const forbidden = findForbidden(config, isAdmin) ?? findForbiddenPath(config, paths);
      if (forbidden !== null) throw refused(forbidden);
    },
  };
}

const refused = (sentence: string, line?: number): Failure =>
  new Failure('PROXY_REJECTED', 'This configuration cannot be published; nothing was changed.', {
    detail: sentence,
    at: { line },
  });

const STORAGE = 'The storage option is not allowed: it would move the certificates and their keys.';
const ADMIN =
  'An upstream must not be the proxy’s own admin endpoint, and no request may choose an upstream that could be.';

/**
 * Why an adapted configuration is refused, or null.
 * @param isAdmin whether an upstream's address is the admin endpoint
 */
export function findForbidden(
  config: JsonObject,
  isAdmin: (address: string) => boolean,
): string | null {
  if (config.storage !== undefined) return STORAGE;
  const left: Json[] = [config.apps ?? null];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) {
      if (field(value.storage, 'module') !== undefined) return STORAGE;
      if (addressesOf(value).some(isAdmin)) return ADMIN;
    }
    left.push(...Object.values(value));
  }
  return null;
}

/** The addresses that an object of the configuration makes the proxy connect to. */
function addressesOf(value: JsonObject): string[] {
  const found: string[] = [];
  if (typeof value.dial === 'string') found.push(value.dial);
  const { name, port } = object(value.dynamic_upstreams);
  // Without a port, the request or an SRV record decides it.
  if (typeof name === 'string') found.push(`${name}:${typeof port === 'string' ? port : '{srv}'}`);
  const { forward_proxy_url: url } = value;
  if (typeof url === 'string') found.push(url.replace(/^\w+:\/\//, '').replace(/\/.*$/s, ''));
  return found;
}
