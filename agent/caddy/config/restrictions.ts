/** What signalbox refuses in a Caddyfile although Caddy would accept it. */
import { createPauses } from '../../../src/shared/async.ts';
import { dialectsFor, KNOWN_READINGS } from '../../../src/shared/caddyfile/dialect.ts';
import {
  fileImports,
  mayImport,
  type ReadingOptions,
  structuralPlaceholder,
} from '../../../src/shared/caddyfile/file-imports.ts';
import { ADMIN_IS_OURS, findOption } from '../../../src/shared/caddyfile/globals.ts';
import { expandPlaceholders, replacesTooMuch } from '../../../src/shared/caddyfile/placeholders.ts';
import { MAX_DEPTH } from '../../../src/shared/caddyfile/structure.ts';
import { MAX_ALL_WORDS, tokenizeInTurns } from '../../../src/shared/caddyfile/tokenizer.ts';
import { MAX_PORTS, MAX_SIZE, weigh, weighing } from '../../../src/shared/caddyfile/weight.ts';
import { field, firstIn, type JsonObject } from '../../../src/shared/json.ts';
import { resolvePath } from '../../../src/shared/system/files.ts';
import { Restricted } from '../words.ts';
import { assertRegularFiles } from './named-files.ts';
import { findForbiddenPath, PATH_RULES, type PathRules } from './paths.ts';

type RestrictionsDeps = {
  /** The syntax that the proxy's version understands, and the proxy's variables. */
  reading: () => Promise<ReadingOptions>;
  /** The proxy's variables. */
  env: Readonly<Record<string, string>>;
  /** Absolute paths of the folders whose files may be imported. */
  importDirs: readonly string[];
  /** Absolute paths of files that may not be imported from them either. */
  secrets: readonly string[];
  /** The paths that no configuration may name. */
  paths: Omit<PathRules, 'resolve' | 'env'>;
};

export type Restrictions = {
  /**
   * Checks length, braces, nesting, imports and placeholders, as each Caddy reads them. Call it before
   * Caddy reads any file that `text` names.
   * @throws Failure PROXY_REJECTED
   */
  checkText(text: string): Promise<void>;
  /**
   * Checks the admin endpoint and the storage, which are not the operator's to set, and every path: also that
   * what it leads to can be read like a file.
   * @param config what `text` was adapted to, before anything is added to it
   * @throws Failure PROXY_REJECTED
   */
  checkConfig(config: JsonObject, text: string): void;
};

export function createRestrictions(deps: RestrictionsDeps): Restrictions {
  const { reading, importDirs } = deps;
  const paths = { ...deps.paths, resolve: resolvePath, env: deps.env };

  return {
    async checkText(text) {
      const options = await reading();
      if (replacesTooMuch(text)) throw new Restricted(TOO_MANY);
      const pause = createPauses();
      const expanded = expandPlaceholders(text, options.environment);
      for (const dialect of dialectsFor(options, [expanded])) {
        const read = await tokenizeInTurns(expanded, weighing(dialect), pause);
        const { tokens, deep, size, range, disputed } = weigh(expanded, read);
        if (tokens > MAX_ALL_WORDS)
          throw new Restricted(`This has more than ${MAX_ALL_WORDS} words.`);
        if (disputed) throw new Restricted(disputed.message, disputed.line, disputed.hint);
        if (deep !== null)
          throw new Restricted(`Blocks can be nested at most ${MAX_DEPTH} deep.`, deep);
        if (range !== null) throw new Restricted(TOO_MANY_PORTS, range);
        // An unknown size is left to a process of limited memory, see `needsOwnProcess`.
        if (size > MAX_SIZE && size !== Number.POSITIVE_INFINITY) throw new Restricted(TOO_LONG);
      }
      if (!MAY_READ_MORE.test(text)) return;
      const forbidden = fileImports(text, options).find(
        ({ target }) =>
          !mayImport(target, importDirs, { ...options, secrets: deps.secrets.map(resolvePath) }),
      );
      if (forbidden)
        throw new Restricted(
          importDirs.length > 0 ? NO_SUCH_FILE : NO_FILES,
          forbidden.line,
          OF_SEVERAL_FILES,
        );
      const structural = structuralPlaceholder(text, options);
      if (structural !== null) throw new Restricted(structural);
    },

    checkConfig(config, text) {
      if (config.admin !== undefined)
        throw new Restricted(
          ADMIN_IS_OURS,
          (findOption(text, 'admin') ?? findOption(text, 'persist_config'))?.line,
        );
      if (hasStorage(config)) throw new Restricted(STORAGE);
      const path = findForbiddenPath(config, paths);
      if (path !== null) throw new Restricted(path);
      assertRegularFiles(config, deps.env);
    },
  };
}

const TOO_MANY = 'There are too many {$…} in the Caddyfile.';

const TOO_MANY_PORTS = `An upstream can have at most ${MAX_PORTS} ports: each becomes an upstream of its own.`;

const NO_FILES = '`import` of files is not allowed; use a snippet.';
const OF_SEVERAL_FILES =
  'For a Caddyfile of several files, run `signalbox import FILE` on the hub’s machine: it reads what the file imports. Or set IMPORT_DIRS to their folder.';
const NO_SUCH_FILE =
  '`import` is only allowed for snippets, and for files in IMPORT_DIRS with matching braces.';
const TOO_LONG = 'With the snippets it imports, the Caddyfile would be too long.';
const STORAGE = 'The storage option is not allowed: it would move the certificates and their keys.';

/** With a newer signalbox, or a newer Caddy, what was checked before may be unsound. @param mark of the program */
export const withRules = (mark: string | null): string | null =>
  mark && `${KNOWN_READINGS}/${PATH_RULES} ${mark}`;

/** An import, or a placeholder that becomes one. */
const MAY_READ_MORE = /import|\{\$/;

/** Whether an adapted configuration sets a storage, for everything or for one issuer. */
export const hasStorage = (config: JsonObject): boolean =>
  config.storage !== undefined ||
  firstIn(config.apps ?? null, (value) =>
    field(value, 'storage', 'module') === undefined ? null : true,
  ) !== null;
