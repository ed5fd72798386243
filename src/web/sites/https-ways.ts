/** Changes a site's draft to one of the ways in which a name gets HTTPS, or does without. Pure. */
import type { Proxied } from './draft.ts';

/** Adds directives to the config: at its top, or at the top of its block if it is a whole one. */
export function withDirective(draft: Proxied, directive: string): Partial<Proxied> {
  const lines = draft.config.split('\n');
  const head = headOf(draft, lines);
  const text = head === -1 ? directive : directive.replace(/^/gm, '\t');
  return { config: lines.toSpliced(head + 1, 0, text).join('\n') };
}

/** The same site over plain HTTP. */
export function overHttp(draft: Proxied): Partial<Proxied> {
  const domain = `http://${bare(draft.domain)}`;
  const lines = draft.config.split('\n');
  const head = headOf(draft, lines);
  if (head === -1) return { domain };
  const addresses = (lines[head] ?? '').replace(
    /(^|[\s,])(?:https?:\/\/)?([^\s,{]+)/g,
    '$1http://$2',
  );
  return { domain, config: lines.with(head, addresses).join('\n') };
}

/** `tls` with a provider; the key comes from the environment of Caddy. */
export const dnsDirective = (provider: string): string =>
  `tls {\n\tdns ${provider} {env.${provider.toUpperCase().replace(/\W/g, '_')}_API_TOKEN}\n}`;

const bare = (domain: string): string => domain.trim().replace(/^https?:\/\//i, '');

/** The line that opens the site's block; -1 if the config is only a body. */
function headOf({ domain }: Proxied, lines: readonly string[]): number {
  const at = lines.findIndex((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  const line = lines[at]?.trim() ?? '';
  const first = bare(line.split(/[\s,]/)[0] ?? '');
  return line.endsWith('{') && first === bare(domain) ? at : -1;
}
