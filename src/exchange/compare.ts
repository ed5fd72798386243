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

/** Without the admin endpoint, which the agent sets for itself. */
export function withoutAdmin(config: unknown): unknown {
  if (!isTree(config)) return config;
  const { admin: _, ...rest } = config;
  return rest;
}

const isTree = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === 'object' && value !== null;
