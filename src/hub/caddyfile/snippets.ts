/** What the snippets of a preamble contain, as far as policies need to know. Pure. */
import { type Dialect, dialectsFor } from '../../shared/caddyfile/dialect.ts';
import { snippetsOf } from '../../shared/caddyfile/preamble.ts';
import { type Directive, type Segment, segmentsOf } from './segments.ts';

/**
 * What a directive is for: `settings` stay at the level of the site, as does `matchers`, and handle no
 * request; `errors` is a `handle_errors` with content.
 */
export type Kind = 'settings' | 'matchers' | 'errors' | 'handlers';

export type Snippet = {
  text: string;
  kinds: ReadonlySet<Kind>;
  /** Not all of it can be in one place: its text has to take the place of its import. */
  divided: boolean;
  /** Its first directive is an import, which Caddy 2.6 does not follow inside of a block. */
  leads: boolean;
  /** Its text is not the same for every import. */
  takesArguments: boolean;
};

/** The syntax that texts are read in, and the preamble's snippets by their names. */
export type Imports = { dialect: Dialect; snippets: ReadonlyMap<string, Snippet> };

/** Caddy allows them in a site only outside of all blocks. */
const SETTINGS: ReadonlySet<string> = new Set(['bind', 'log', 'tls']);

/** How many snippets may import each other in a row before what they contain counts as unknown. */
const CHAIN = 32;

export function readImports(preamble: string, dialect: Dialect): Imports {
  const [texts = new Map<string, string>(), ...others] = dialectsFor(dialect, [preamble]).map(
    (one) => snippetsOf(preamble, one),
  );
  const snippets = new Map<string, Snippet>();
  const imports = { dialect, snippets };

  function read(name: string, chain: number): void {
    const text = texts.get(name);
    if (text === undefined || snippets.has(name) || chain > CHAIN) return;
    const takesArguments = /\{(?:args|block)/.test(text);
    const flags = { divided: false, leads: false, takesArguments };
    const unknown: Snippet = { text, kinds: HANDLERS, ...flags };
    // Until it is read: it may import itself.
    snippets.set(name, unknown);
    const directives = segmentsIn(text, imports).map(({ directive }) => directive);
    for (const directive of directives) read(targetOf(directive) ?? '', chain + 1);
    const kinds = new Set(directives.flatMap((directive) => [...kindsOf(directive, imports)]));
    const divided = kinds.has('errors') || (kinds.has('handlers') && kinds.has('settings'));
    const leads = directives[0]?.words[0] === 'import';
    snippets.set(name, { ...unknown, kinds, divided, leads });
  }

  for (const [name, text] of texts) {
    if (others.some((other) => other.get(name) !== text)) texts.delete(name);
  }
  for (const name of texts.keys()) read(name, 0);
  return imports;
}

const HANDLERS: ReadonlySet<Kind> = new Set(['handlers']);

export const segmentsIn = (text: string, { dialect }: Imports): Segment[] =>
  segmentsOf(text, dialectsFor(dialect, [text]));

/** The snippet that a directive imports; undefined if it is not an import of one. */
export function importedBy(directive: Directive | null, { snippets }: Imports) {
  const target = targetOf(directive);
  return target === undefined ? undefined : snippets.get(target);
}

const targetOf = (directive: Directive | null): string | undefined =>
  directive?.words[0] === 'import' ? directive.words[1] : undefined;

/** None for comments; what is not known is a handler. */
export function kindsOf(directive: Directive | null, imports: Imports): ReadonlySet<Kind> {
  if (!directive) return HANDLERS;
  const [name] = directive.words;
  if (name === undefined) return new Set();
  if (name.startsWith('@')) return new Set(['matchers']);
  if (name === 'handle_errors') return new Set([directive.block ? 'errors' : 'settings']);
  if (SETTINGS.has(name)) return new Set(['settings']);
  return importedBy(directive, imports)?.kinds ?? HANDLERS;
}
