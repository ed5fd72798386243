/** Caddy's `{$NAME}` and `{$NAME:default}`, which it replaces in the raw text before anything else. */
export type Placeholder = {
  name: string;
  /** What stands in for an unset variable; null where none is given. */
  fallback: string | null;
  /** UTF-16 offsets of the whole placeholder in the source, `end` exclusive. */
  start: number;
  end: number;
};

/** The values of variables; one that is missing or undefined counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The placeholders of `source` in order. Each ends at the first `}`, even one lines further down;
 * `{$}` is none. `open` is the offset of a `{$` that no `}` follows, or null: there Caddy stops
 * looking, and a text put behind it would become part of it.
 */
export function findPlaceholders(source: string): {
  placeholders: Placeholder[];
  open: number | null;
} {
  const placeholders: Placeholder[] = [];
  let at = source.indexOf('{$');
  while (at >= 0) {
    const close = source.indexOf('}', at + 2);
    if (close < 0) return { placeholders, open: at };
    const end = close + 1;
    if (close > at + 2) {
      const inner = source.slice(at + 2, close);
      const colon = inner.indexOf(':');
      placeholders.push({
        name: colon < 0 ? inner : inner.slice(0, colon),
        fallback: colon < 0 ? null : inner.slice(colon + 1),
        start: at,
        end,
      });
    }
    at = source.indexOf('{$', end);
  }
  return { placeholders, open: null };
}

/** The text Caddy reads where `environment` holds; a variable set to nothing counts as set. */
export function expandPlaceholders(source: string, environment: Environment = {}): string {
  return replaced(source, findPlaceholders(source).placeholders, ({ name, fallback }) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    return value ?? fallback ?? '';
  });
}

/** `source` with each of `placeholders`, which are in order, replaced by what `value` gives. */
export function replaced(
  source: string,
  placeholders: readonly Placeholder[],
  value: (placeholder: Placeholder) => string,
): string {
  let text = '';
  let kept = 0;
  for (const placeholder of placeholders) {
    text += source.slice(kept, placeholder.start) + value(placeholder);
    kept = placeholder.end;
  }
  return kept === 0 ? source : text + source.slice(kept);
}

/**
 * Paints over a placeholder. A lone surrogate: no text that can be sent holds one, so nothing in a
 * config is mistaken for it.
 */
export const UNKNOWN = '\ud800';

/** Paints over `{upstream}`, which becomes a word of its own and is never empty. */
const WORD = '\ud801';

/** Painted over `{upstream}`: like every upstream it has a colon, which begins a default. */
const ANY_UPSTREAM = `${WORD}:${WORD.repeat('{upstream}'.length - 2)}`;

/** The word of a config that stands for its vhost's upstream. */
export const UPSTREAM = '{upstream}';

/**
 * `source` with `{upstream}` and every placeholder painted over, which changes no offset, and what
 * `findPlaceholders` tells of it. The hub fills in upstreams before Caddy looks for placeholders,
 * so the brace that ends `{upstream}` ends no placeholder.
 */
export function maskPlaceholders(source: string): {
  masked: string;
  placeholders: Placeholder[];
  open: number | null;
} {
  const filled = source.toWellFormed().replaceAll(UPSTREAM, ANY_UPSTREAM);
  const { placeholders, open } = findPlaceholders(filled);
  const masked = replaced(filled, placeholders, ({ start, end }) => UNKNOWN.repeat(end - start));
  return { masked, placeholders, open };
}

/** Whether a masked text holds anything that is not known yet. */
export function isMasked(text: string): boolean {
  return text.includes(UNKNOWN) || text.includes(WORD);
}
