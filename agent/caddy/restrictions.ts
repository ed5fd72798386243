/** What signalbox refuses in a Caddyfile although Caddy would accept it. */
import {
  fileImports,
  mayReadMore,
  type ReadingOptions,
  structuralPlaceholder,
} from '../../src/shared/caddyfile/file-imports.ts';
import { expandPlaceholders, findPlaceholders } from '../../src/shared/caddyfile/placeholders.ts';
import { MAX_DEPTH } from '../../src/shared/caddyfile/structure.ts';
import { MAX_ALL_WORDS } from '../../src/shared/caddyfile/tokenizer.ts';
import { MAX_SIZE, weigh } from '../../src/shared/caddyfile/weight.ts';
import { Failure } from '../../src/shared/failure.ts';
import { mayImport, resolvePath } from '../../src/shared/import-dirs.ts';
import { createAdminMatcher } from './admin-address.ts';
import { field, type Json, type JsonObject, object } from './json.ts';

export type RestrictionsDeps = {
  /** Caddy's admin endpoint as a Caddyfile writes it. */
  admin: string;
  /** The syntax that the proxy's version understands, and the proxy's variables. */
  reading: () => Promise<ReadingOptions>;
  /** Absolute paths of the folders whose files may be imported. */
  importDirs: readonly string[];
};

export type Restrictions = {
  /**
   * Checks length, nesting, imports and placeholders. Call it before Caddy reads any file that `text` names.
   * @throws Failure PROXY_REJECTED
   */
  checkText(text: string): Promise<void>;
  /**
   * Checks the storage and every upstream.
   * @param config the adapted configuration, before anything is added to it
   * @throws Failure PROXY_REJECTED
   */
  checkConfig(config: JsonObject): void;
};

export function createRestrictions(deps: RestrictionsDeps): Restrictions {
  const { admin, reading, importDirs } = deps;
  const isAdmin = createAdminMatcher(admin, resolvePath);

  return {
    async checkText(text) {
      const options = await reading();
      const { length: placeholders } = findPlaceholders(text).placeholders;
      if (placeholders * text.length > MAX_REPLACING) throw refused(TOO_MANY);
      const { tokens, deep, size } = weigh(expandPlaceholders(text, options.environment), options);
      if (tokens > MAX_ALL_WORDS) throw refused(`This has more than ${MAX_ALL_WORDS} words.`);
      if (deep !== null) throw refused(`Blocks can be nested at most ${MAX_DEPTH} deep.`, deep);
      // An unknown size is left to a process of limited memory, see `needsOwnProcess`.
      if (size > MAX_SIZE && size !== Number.POSITIVE_INFINITY) throw refused(TOO_LONG);
      if (!mayReadMore(text)) return;
      const forbidden = fileImports(text, options).find(
        ({ target }) => !mayImport(target, importDirs, options),
      );
      if (forbidden) throw refused('Only snippets can be imported, not files.', forbidden.line);
      const structural = structuralPlaceholder(text, options);
      if (structural !== null) throw refused(structural);
    },

    checkConfig(config) {
      const forbidden = findForbidden(config, isAdmin);
      if (forbidden !== null) throw refused(forbidden);
    },
  };
}

const refused = (sentence: string, line?: number): Failure =>
  new Failure('PROXY_REJECTED', 'This configuration cannot be published; nothing was changed.', {
    detail: sentence,
    at: { line },
  });

/**
 * Caddy copies the whole text for each `{$…}` that it replaces: this many characters take a few
 * seconds, as one placeholder in each of 10,000 sites does.
 */
const MAX_REPLACING = 10_000_000_000;
const TOO_MANY = 'There are too many {$…} in the Caddyfile.';

const TOO_LONG = 'With the snippets it imports, the Caddyfile would be too long.';
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
