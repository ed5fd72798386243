/** Answers with a text. Pure. */
import { quoted } from './quote.ts';

/**
 * The directive `respond` for a text. Without a matcher Caddy would take a text that begins with `/`,
 * `*` or `@` for one, even in quotes.
 * @param status a number or a placeholder
 */
export const respond = (matcher: string, text: string, status: number | string): string =>
  `respond${matcher || ' *'} ${quoted(text)} ${status}`;

/** The directive that calls a text HTML if it looks so; Caddy would call it plain text. */
export const typed = (matcher: string, text: string): string[] =>
  /^\s*</.test(text) ? [`header${matcher} Content-Type "text/html; charset=utf-8"`] : [];
