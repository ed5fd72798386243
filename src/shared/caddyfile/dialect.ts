/** What depends on the version of Caddy in the syntax of Caddyfiles. Pure. */

/** Whether this version reads heredocs, as Caddy does since 2.7. @param version such as `2.6.2`, null if unknown */
export function hasHeredocs(version: string | null): boolean {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  return major > 2 || (major === 2 && minor >= 7);
}
