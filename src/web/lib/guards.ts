/** Finds out whether a change changes who gets in. Pure. */

/** A directive or matcher that lets visitors in by what they are, or refuses them. */
const GUARD =
  /^(?:[^#]*\s)?(?:(?:remote_ip|client_ip|basic_?auth|forward_auth|client_auth|abort)\b|(?:respond|error)\s(?:.*\s)?40[13](?!\S))/;

/** The same of a policy's values, and of a site's fields as the changelog calls them. */
export const GUARD_FIELDS: readonly string[] = [
  'networks',
  'users',
  'passwords',
  'authority',
  'mode',
  'exemptNetworks',
  'exemptPaths',
  'policies',
  'policies left out',
  'every site',
];

/** @param lines of a diff of Caddyfile text */
export const changesGuards = (lines: readonly { kind: string; text: string }[]): boolean =>
  lines.some(({ kind, text }) => (kind === 'add' || kind === 'remove') && GUARD.test(text));
