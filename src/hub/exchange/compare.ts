/** Whether two adapted configurations mean the same. Pure. */

/**
 * Where two JSON values differ first, as a path such as `apps.http.servers.srv0.routes.2`, or null.
 * It names places and no values: a configuration may hold secrets.
 */
export function firstDifference(one: unknown, other: unknown, path = ''): string | null {
  if (Object.is(one, other)) return null;
  if (!isTree(one) || !isTree(other) || Array.isArray(one) !== Array.isArray(other)) {
    return path === '' ? 'the whole' : path;
  }
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const found = firstDifference(one[key], other[key], path === '' ? key : `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Without what the agent sets for itself: the admin endpoint, and which hosts are not logged (a
 * list that Caddy 2.6.2 writes in the order of a map, another one each time).
 */
export function comparable(config: unknown): unknown {
  if (!isTree(config)) return config;
  const { admin: _, ...rest } = structuredClone(config);
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
