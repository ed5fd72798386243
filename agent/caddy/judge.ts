/** Whether a proxyfile that was pushed may become live, beyond what Caddy itself says of it. */
import {
  fileImports,
  mayReadMore,
  type ReadingOptions,
  structuralPlaceholder,
} from '../../src/shared/caddyfile/file-imports.ts';
import { Failure } from '../../src/shared/failure.ts';
import { mayImport, resolvePath } from '../../src/shared/import-dirs.ts';
import { createAdminMatcher } from './admin-address.ts';
import type { JsonObject } from './json.ts';
import { findForbidden } from './policy.ts';

export type JudgeDeps = {
  /** Caddy's admin endpoint as a Caddyfile writes it. */
  admin: string;
  /** What the Caddyfile of the proxy's version may hold, and its variables. */
  reading: () => Promise<ReadingOptions>;
  /** Absolute folders whose files may be imported. */
  importDirs: readonly string[];
};

export type Judge = ReturnType<typeof createJudge>;

export function createJudge({ admin, reading, importDirs }: JudgeDeps) {
  const isAdmin = createAdminMatcher(admin, resolvePath);

  return {
    /** To be asked before the proxy reads any file that `text` names. @throws Failure PROXY_REJECTED */
    async text(text: string): Promise<void> {
      if (!mayReadMore(text)) return;
      const options = await reading();
      const far = fileImports(text, options).find(
        ({ target }) => !mayImport(target, importDirs, options),
      );
      if (far) throw refused('Only snippets can be imported, files cannot.', far.line);
      const structural = structuralPlaceholder(text, options);
      if (structural !== null) throw refused(structural);
    },

    /** @param config as adapted, before anything is added to it. @throws Failure PROXY_REJECTED */
    config(config: JsonObject): void {
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
