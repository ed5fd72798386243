/** What the Caddyfiles of a version of Caddy may hold. */

/** Heredocs are known since 2.7. @param version as `caddy version` tells it, without a `v` */
export function hasHeredocs(version: string | null): boolean {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  return major > 2 || (major === 2 && minor >= 7);
}
