/** Finds, replaces and masks the placeholders of a Caddyfile. Pure. */

/** Caddy's `{$NAME}` and `{$NAME:default}`, which it replaces in the raw text before anything else. */
export type Placeholder = {
  name: string;
  /** The default for an unset variable; null if there is none. */
  fallback: string | null;
  /** UTF-16 offsets of the whole placeholder in the source, `end` exclusive. */
  start: number;
  end: number;
};

/** The values of variables; a missing or undefined one counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The placeholders of `source` in order. Each ends at the first `}`, even several lines later; `{$}`
 * is not a placeholder. `open` is the offset of a `{$` without any `}` after it, or null: Caddy stops
 * there, and text appended to `source` would become part of it.
 * @param most how many to look for
 */
export function findPlaceholders(
  source: string,
  most = Number.POSITIVE_INFINITY,
): {
  placeholders: Placeholder[];
  open: number | null;
} {
  const placeholders: Placeholder[] = [];
  let at = source.indexOf('{$');
  while (at >= 0 && placeholders.length < most) {
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

/**
 * Caddy copies the whole text for each `{$…}` that it replaces: this many characters take a few
 * seconds, as one placeholder in each of 10,000 sites does.
 */
const MAX_REPLACING = 10_000_000_000;

/** Whether a Caddyfile has more placeholders than one of its length may have. */
export function replacesTooMuch(source: string): boolean {
  const most = MAX_REPLACING / source.length;
  return findPlaceholders(source, most + 1).placeholders.length > most;
}

/** The text that Caddy reads in `environment`; a variable set to the empty string counts as set. */
export function expandPlaceholders(source: string, environment: Environment = {}): string {
  return replaced(source, findPlaceholders(source).placeholders, ({ name, fallback }) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    return value ?? fallback ?? '';
  });
}

/** `source` with each of `placeholders`, which must be in order, replaced by its `value`. */
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
 * Masks a placeholder. A lone surrogate, which cannot occur in well-formed text, so nothing in a
 * config can be mistaken for it.
 */
export const UNKNOWN = '\ud800';

/** Masks `{upstream}`, which will be a separate word and never empty. */
const WORD = '\ud801';

/** Replaces `{upstream}`. Like every upstream it has a colon, which could begin a default. */
const ANY_UPSTREAM = `${WORD}:${WORD.repeat('{upstream}'.length - 2)}`;

/** What a config writes for its vhost's upstream. */
export const UPSTREAM = '{upstream}';

/**
 * `source` with `{upstream}` and every placeholder masked, which keeps all offsets, and the result of
 * `findPlaceholders`. The hub fills in upstreams before Caddy looks for placeholders, so the brace
 * that ends `{upstream}` does not end a placeholder.
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

/** Whether a masked text has masked parts. */
export function isMasked(text: string): boolean {
  return text.includes(UNKNOWN) || text.includes(WORD);
}
