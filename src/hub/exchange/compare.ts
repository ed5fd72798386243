/** Whether two adapted configurations mean the same. Pure. */

/**
 * The first difference of two JSON values as a path like `apps.http.servers.srv0.routes.2`; null if
 * there is none. Contains no values, because a configuration may hold secrets.
 */
export function firstDifference(one: unknown, other: unknown, path = ''): string | null {
  if (Object.is(one, other)) return null;
  if (!isTree(one) || !isTree(other) || Array.isArray(one) !== Array.isArray(other)) {
    return path === '' ? 'the top level' : path;
  }
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const found = firstDifference(one[key], other[key], path === '' ? key : `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

/**
 * A copy without what the agent sets itself and imports leave out: admin endpoint and storage, and
 * which hosts are not logged (a list that Caddy 2.6.2 writes in random order).
 */
export function comparable(config: unknown): unknown {
  if (!isTree(config)) return config;
  const { admin: _, storage: __, ...rest } = structuredClone(config);
  const servers = path(rest, ['apps', 'http', 'servers']);
  for (const server of isTree(servers) ? Object.values(servers) : []) {
    const logs = path(server, ['logs']);
    if (isTree(logs)) delete logs.skip_hosts;
  }
  return rest;
}

const path = (value: unknown, names: readonly string[]): unknown =>
  names.reduce((at: unknown, name) => (isTree(at) ? at[name] : undefined), value);

const isTree = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === 'object' && value !== null;
