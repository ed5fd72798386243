/** Puts texts into a Caddyfile as one word each. Pure. */

/**
 * A text as one word. Caddy knows one escape inside quotes, `\"`; a backslash before anything else
 * stays as it is.
 */
export const quoted = (text: string): string => `"${text.replaceAll('"', '\\"')}"`;
