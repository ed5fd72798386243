/** Whom a guard lets through without further questions. Pure. */
import { HAS_CERTIFICATE, OWN_CONNECTION } from './client-auth.ts';
import { listed } from './networks.ts';
import type { Line, Writing } from './recipe.ts';

type Exempt = {
  exemptNetworks?: readonly string[] | undefined;
  exemptPaths?: readonly string[] | undefined;
  exemptCertificates?: string | undefined;
};

/**
 * Paths that an upstream may understand otherwise than Caddy, which matches the cleaned and decoded
 * path and forwards the raw one: `/public/%2e%2e/admin`. `%25` is an encoded percent sign, which some
 * decode twice, and `%c0%ae` a dot to decoders that do not check; 2.6.2 ignores dots and spaces at the end.
 */
const AMBIGUOUS = String.raw`(?i)^[^?]*(?:\.\.|//|\\|%25|%2e|%2f|%5c|%c[01]|(?:\.|%20)(?:\?|$))`;

/**
 * Ends of the names of headers that some upstreams believe about the path: `X-Original-URL` and
 * `X-Rewrite-URL` replace it, `X-Script-Name` takes its beginning away.
 */
const ROUTING = [
  'Original-Url',
  'Original_Url',
  'Rewrite-Url',
  'Rewrite_Url',
  'Script-Name',
  'Script_Name',
];

/**
 * Puts an end to every upgrade but that of a websocket: an upstream that agrees to another one, such as
 * h2c, gets whatever the visitor sends, on any path and with any identity. Each value for itself,
 * because Caddy takes the first one.
 */
export const NO_TUNNEL: readonly Line[] = [
  '# only a websocket may take over the connection',
  'request_header Upgrade `(?i)^(?:(websocket)|.*)$` $1',
];

/**
 * The definition of a matcher of all requests that are not exempt, and the matcher to put after a
 * directive, with a space before it; both empty if nothing is exempt.
 */
export function guarded(
  { exemptNetworks = [], exemptPaths = [], exemptCertificates }: Exempt,
  { wording, prefix }: Writing,
): { lines: Line[]; matcher: string } {
  const isNobody = exemptNetworks.length === 0 && exemptPaths.length === 0 && !exemptCertificates;
  if (isNobody) return { lines: [], matcher: '' };
  const name = `${prefix}guarded`;
  const lines: Line[] = [`${name} {`];
  if (exemptNetworks.length > 0) {
    const text = `\tnot ${wording.clientIp} ${listed(exemptNetworks)}`;
    lines.push({ text, field: 'exemptNetworks' });
  }
  if (exemptPaths.length > 0) {
    lines.unshift(
      '# nothing but the path itself says what is asked for',
      ...ROUTING.map((end) => `request_header -*${end}`),
    );
    lines.push(
      '\tnot {',
      { text: `\t\tpath ${exemptPaths.join(' ')}`, field: 'exemptPaths' },
      `\t\tnot vars_regexp {http.request.orig_uri} \`${AMBIGUOUS}\``,
      '\t}',
    );
  }
  if (exemptCertificates) {
    const field = 'exemptCertificates';
    lines.push(
      '\tnot {',
      `\t\t${OWN_CONNECTION}`,
      { text: `\t\t${HAS_CERTIFICATE}`, field },
      '\t}',
    );
  }
  return { lines: [...lines, '}'], matcher: ` ${name}` };
}
