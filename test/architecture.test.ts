/** Who may import whom: the table of CONTRIBUTING, held against every file. */
import { describe, expect, test } from 'bun:test';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dir, '..');

/** What a folder's files may import beside each other: houses, or a single file of one. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  web: ['shared/patterns.ts'],
  shared: [],
  agent: ['shared'],
  hub: ['shared'],
  program: ['web', 'shared', 'agent', 'hub'],
};

/** The same inside the hub; `app` is what lies in no folder of it. */
const MAY_IMPORT_IN_HUB: Readonly<Record<string, readonly string[]>> = {
  http: [],
  db: [],
  recipes: [],
  caddyfile: ['recipes'],
  'agent-client': [],
  auth: ['http', 'db'],
  publish: ['recipes', 'caddyfile', 'db', 'agent-client'],
  openapi: ['http', 'auth'],
  dashboard: ['http', 'auth'],
  logs: ['http', 'auth', 'agent-client'],
  agents: ['http', 'auth', 'publish', 'agent-client'],
  vhosts: ['http', 'auth', 'publish'],
  policies: ['http', 'auth', 'publish', 'recipes'],
  changelog: ['http', 'auth', 'publish', 'db'],
  state: ['http', 'auth', 'publish', 'agent-client'],
  exchange: ['http', 'auth', 'publish', 'recipes', 'caddyfile', 'agent-client'],
  notify: ['http', 'auth', 'db', 'state'],
  app: [
    ...['http', 'db', 'recipes', 'caddyfile', 'agent-client', 'auth', 'publish', 'openapi'],
    ...['dashboard', 'logs', 'agents', 'vhosts', 'policies', 'changelog', 'state', 'exchange'],
    'notify',
  ],
};

const files = [...new Bun.Glob('{src,agent}/**/*.{ts,tsx}').scanSync(ROOT)].toSorted();
const texts = new Map(
  await Promise.all(
    files.map(async (file) => [file, await Bun.file(join(ROOT, file)).text()] as const),
  ),
);

/** The project's own files that `file` imports, types included, from the root. */
const importsOf = (file: string): string[] =>
  [...(texts.get(file) ?? '').matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(
    ([, path]) => relative(ROOT, join(ROOT, dirname(file), path ?? '')),
  );

const houseOf = (path: string): string => {
  const [first = '', second = ''] = path.split('/');
  if (first === 'agent') return 'agent';
  return second === 'main.ts' ? 'program' : second;
};

const roomOf = (path: string): string => {
  const [, , third = '', ...rest] = path.split('/');
  return rest.length === 0 ? 'app' : third;
};

/** What the table forbids of the imports of one file. */
function forbidden(file: string, imports: readonly string[]): string[] {
  const house = houseOf(file);
  return imports.filter((path) => {
    // What this is: the version stands in the manifest.
    if (path === 'package.json') return house !== 'program';
    const other = houseOf(path);
    if (other !== house) {
      return ![other, path.replace(/^src\//, '')].some((one) => MAY_IMPORT[house]?.includes(one));
    }
    if (house !== 'hub' || roomOf(path) === roomOf(file)) return false;
    return !MAY_IMPORT_IN_HUB[roomOf(file)]?.includes(roomOf(path));
  });
}

describe('the table refuses', () => {
  test.each([
    ['src/web/app.tsx', 'src/shared/wire.ts'],
    ['src/shared/log.ts', 'agent/app.ts'],
    ['agent/app.ts', 'src/hub/app.ts'],
    ['agent/app.ts', 'src/program/config.ts'],
    ['src/hub/app.ts', 'agent/app.ts'],
    ['src/hub/dashboard/routes.ts', 'src/web/index.html'],
    ['src/hub/publish/publisher.ts', 'src/program/config.ts'],
    ['src/hub/publish/publisher.ts', 'src/hub/vhosts/routes.ts'],
    ['src/hub/vhosts/routes.ts', 'src/hub/exchange/routes.ts'],
    ['src/hub/vhosts/routes.ts', 'src/hub/app.ts'],
    ['src/hub/db/open.ts', 'src/hub/publish/store.ts'],
    ['src/somewhere/new.ts', 'src/shared/log.ts'],
    ['src/hub/somewhere/new.ts', 'src/hub/db/open.ts'],
  ])('%s importing %s', (file, other) => expect(forbidden(file, [other])).toEqual([other]));
});

describe('imports point one way', () => {
  test.each(files)('%s', (file) => {
    expect(forbidden(file, importsOf(file))).toEqual([]);
    expect([...Object.keys(MAY_IMPORT)]).toContain(houseOf(file));
  });
});

/** The imports of all files, seen from a folder: between its own files and sub-folders. */
function edgesIn(folder: string): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  const childOf = (path: string) =>
    path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split('/')[0] : undefined;
  for (const file of files) {
    const from = childOf(file);
    if (from === undefined) continue;
    const known = edges.get(from) ?? new Set();
    edges.set(from, known);
    for (const path of importsOf(file)) {
      const to = childOf(path);
      if (to !== undefined && to !== from) known.add(to);
    }
  }
  return edges;
}

/** One cycle of a graph by its nodes, or null. */
function findCycle(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] | null {
  const done = new Set<string>();
  function walk(node: string, way: readonly string[]): string[] | null {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node];
    if (done.has(node)) return null;
    for (const next of edges.get(node) ?? []) {
      const found = walk(next, [...way, node]);
      if (found) return found;
    }
    done.add(node);
    return null;
  }
  for (const node of edges.keys()) {
    const found = walk(node, []);
    if (found) return found;
  }
  return null;
}

describe('no cycle between files or folders', () => {
  test('one is found where there is one', () => {
    const edges = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['c', 'd'])],
      ['d', new Set(['a'])],
    ]);
    expect(findCycle(edges)).toEqual(['a', 'b', 'd', 'a']);
  });

  const folders = new Set(files.flatMap((file) => [dirname(file), dirname(dirname(file))]));
  test.each([...folders].filter((folder) => folder !== '.').toSorted())('in %s', (folder) => {
    expect(findCycle(edgesIn(folder))).toBeNull();
  });
});

describe('CONTRIBUTING', () => {
  test('shows the same two tables', async () => {
    const text = await Bun.file(join(ROOT, 'CONTRIBUTING.md')).text();
    const row = ([name, others]: [string, readonly string[]]) =>
      `| \`${name}\` | ${others.map((other) => `\`${other}\``).join(' ') || 'nothing'} |`;
    for (const table of [MAY_IMPORT, MAY_IMPORT_IN_HUB]) {
      expect(text).toContain(Object.entries(table).map(row).join('\n'));
    }
  });
});

describe('one place for each effect', () => {
  test.each(files.filter((file) => houseOf(file) !== 'web'))('%s', (file) => {
    const text = texts.get(file) ?? '';
    if (file !== 'src/main.ts') expect(text).not.toMatch(/process\.(env|exit|argv|on)\b/);
    // ports.ts only tries whether a port is free.
    if (!['src/program/listen.ts', 'agent/caddy/ports.ts'].includes(file)) {
      expect(text).not.toMatch(/\.listen\(|Bun\.serve\(/);
    }
    if (/routes\.ts$/.test(file)) {
      expect(importsOf(file).filter((path) => path.endsWith('db/schema.ts'))).toEqual([]);
    }
  });
});

describe('the dashboard', () => {
  test('gets nothing but constants from the file that it may import', () => {
    expect(importsOf('src/shared/patterns.ts')).toEqual([]);
    expect(texts.get('src/shared/patterns.ts')).not.toMatch(/=>|\bfunction\b|\bfrom '/);
  });

  test.each(files.filter((file) => houseOf(file) === 'web'))('%s', (file) => {
    // Text from strangers stays text; a `style` in HTML would break the page's own policy.
    const text = texts.get(file) ?? '';
    expect(text).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write|\sstyle="/i);
    // One file keeps how the page looks; nothing of the hub's is left behind in a browser.
    if (file !== 'src/web/lib/use-kept.ts') {
      expect(text).not.toMatch(/localStorage|sessionStorage/);
    }
  });
});
