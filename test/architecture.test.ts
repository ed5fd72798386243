/** Who may import whom: the table of CONTRIBUTING, held against every file. */
import { describe, expect, test } from 'bun:test';
import { dirname, join, relative } from 'node:path';
import { words } from './harness/words.ts';

const ROOT = join(import.meta.dir, '..');

/** What a folder's files may import beside each other: houses, or a single file of one. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  web: [
    'shared/pages.ts',
    'shared/patterns.ts',
    'shared/caddyfile/names.ts',
    'features/problems.ts',
  ],
  shared: ['features/failures.ts', 'features/pages.ts'],
  agent: ['shared'],
  hub: ['shared'],
  program: ['web', 'shared', 'agent', 'hub'],
};

/** The same inside the hub; `app` is what lies in no folder of it. */
const MAY_IMPORT_IN_HUB: Readonly<Record<string, readonly string[]>> = {
  http: [],
  db: ['features/tables.ts'],
  recipes: [],
  caddyfile: ['recipes'],
  agents: [],
  auth: ['http', 'db', 'features/security.ts', 'features/tables.ts'],
  model: ['recipes', 'caddyfile', 'db'],
  publish: ['recipes', 'caddyfile', 'model', 'agents'],
  dashboard: ['http', 'auth'],
  logs: ['http', 'auth', 'agents'],
  watch: ['http', 'auth', 'db', 'model', 'publish', 'agents'],
  retries: ['auth', 'db', 'model', 'publish'],
  core: ['http', 'auth', 'db', 'model', 'publish', 'watch', 'retries'],
  features: words('core http auth db model publish recipes caddyfile agents watch'),
  api: words('http auth db model publish recipes caddyfile agents core retries watch'),
  app: words('http db recipes caddyfile agents auth model publish core dashboard logs watch api'),
};

/** The figures of 0.1.0. */
const LAST_RELEASE = {
  files: 721,
  'lines by hand': 61_207,
  'lines of css': 3_776,
  'lines of tests': 50_639,
  'most files of a folder': 37,
  'most arrows in a folder': 104,
};

const files = [...new Bun.Glob('{src,agent}/**/*.{ts,tsx}').scanSync(ROOT)].toSorted();
const texts = new Map(
  await Promise.all(
    files.map(async (file) => [file, await Bun.file(join(ROOT, file)).text()] as const),
  ),
);

const pathsIn = (file: string, text: string): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(([, path]) =>
    relative(ROOT, join(ROOT, dirname(file), path ?? '')),
  );

const TYPES = /^(?:import|export) type [^;]*;$/gm;

/** The project's own files that `file` imports, types included, from the root. */
const importsOf = (file: string): string[] => pathsIn(file, texts.get(file) ?? '');
/** Those of them that it imports nothing but types from, and the others. */
const typesOf = (file: string): string[] =>
  pathsIn(file, (texts.get(file) ?? '').match(TYPES)?.join('\n') ?? '');
const valuesOf = (file: string): string[] =>
  pathsIn(file, (texts.get(file) ?? '').replace(TYPES, ''));

const houseOf = (path: string): string => {
  const [first = '', second = ''] = path.split('/');
  if (first === 'agent') return 'agent';
  if (second === 'features') return houseInFeature(path);
  return ['main.ts', 'feature.ts', 'features.ts'].includes(second) ? 'program' : second;
};

/** A feature has rooms of several houses: what a file may import goes by its name. */
function houseInFeature(path: string): string {
  const [, , name = '', room = ''] = path.split('/');
  if (['security.ts', 'tables.ts'].includes(name)) return 'hub';
  if (room === '' || ['words.ts', 'wire.ts', 'shared'].includes(room)) return 'shared';
  if (room === 'web') return 'web';
  return ['cli', 'feature.ts', 'settings.ts'].includes(room) ? 'program' : 'hub';
}

const roomOf = (path: string): string => {
  const [, second, third = '', ...rest] = path.split('/');
  if (second === 'features') return 'features';
  if (path === 'src/hub/core.ts') return 'core';
  return rest.length === 0 ? 'app' : third;
};

/** The words of the feature that a page is of. */
const wordsBeside = (file: string): string =>
  file.replace(/^(src\/features\/[^/]+)\/.*$/, '$1/words.ts');

/**
 * Whether a file of the dashboard may import it as a type, which the bundler erases: what the hub answers, in one list
 * for the core, and in the pages of a feature from that feature.
 */
const isTypeOfAnswer = (file: string, path: string): boolean =>
  file === 'src/web/lib/types.ts'
    ? ['hub', 'shared'].includes(houseOf(path)) && !path.startsWith('src/features/')
    : houseOf(file) === 'web' && path.startsWith(wordsBeside(file).replace('words.ts', ''));

/** What the table forbids of the imports of one file. */
function forbidden(file: string, imports: readonly string[], isType = false): string[] {
  const house = houseOf(file);
  return imports.filter((path) => {
    if (isType && isTypeOfAnswer(file, path)) return false;
    // What this is: the version stands in the manifest.
    if (path === 'package.json') return house !== 'program';
    // Pages are text, which one feature shows.
    if (path.startsWith('docs/')) return !file.startsWith('src/features/docs/');
    const other = houseOf(path);
    if (house === 'web' && path === wordsBeside(file)) return false;
    if (other !== house) {
      return ![other, path.replace(/^src\//, '')].some((one) => MAY_IMPORT[house]?.includes(one));
    }
    if (house !== 'hub' || roomOf(path) === roomOf(file)) return false;
    const may = MAY_IMPORT_IN_HUB[roomOf(file)];
    return ![roomOf(path), path.replace(/^src\//, '')].some((one) => may?.includes(one));
  });
}

/** What is wrong with files, each with what it is. */
const faultsOf = (some: readonly string[], find: (file: string) => readonly string[]): string[] =>
  some.flatMap((file) => find(file).map((fault) => `${file}: ${fault}`));

describe('the table refuses', () => {
  test.each([
    ['src/web/app.tsx', 'src/shared/wire/protocol.ts'],
    ['src/shared/log.ts', 'agent/app.ts'],
    ['agent/app.ts', 'src/hub/app.ts'],
    ['agent/app.ts', 'src/program/config.ts'],
    ['src/hub/app.ts', 'agent/app.ts'],
    ['src/hub/dashboard/routes.ts', 'src/web/index.html'],
    ['src/hub/publish/publisher.ts', 'src/program/config.ts'],
    ['src/hub/publish/publisher.ts', 'src/hub/api/vhosts.ts'],
    ['src/hub/model/store.ts', 'src/hub/publish/batch.ts'],
    ['src/hub/publish/publisher.ts', 'src/hub/watch/look.ts'],
    ['src/hub/watch/look.ts', 'src/features/x/sites.ts'],
    ['src/hub/api/status.ts', 'src/hub/app.ts'],
    ['src/hub/model/snapshot/snapshot.ts', 'src/hub/api/exchange.ts'],
    ['src/hub/api/vhosts.ts', 'src/hub/app.ts'],
    ['src/hub/db/open.ts', 'src/hub/model/store.ts'],
    ['src/somewhere/new.ts', 'src/shared/log.ts'],
    ['src/hub/somewhere/new.ts', 'src/hub/db/open.ts'],
    ['src/hub/publish/publisher.ts', 'src/features/x/sites.ts'],
    ['src/hub/core.ts', 'src/hub/api/context.ts'],
    ['src/features/x/sites.ts', 'src/hub/api/context.ts'],
    ['src/features/x/sites.ts', 'src/program/config.ts'],
    ['src/features/x/words.ts', 'src/hub/db/open.ts'],
    ['src/features/x/web/page.tsx', 'src/features/x/sites.ts'],
    ['agent/features/x/agent.ts', 'src/features/x/sites.ts'],
    ['src/web/lib/types.ts', 'src/hub/api/status.ts'],
    ['src/features/x/web/page.tsx', 'src/features/x/routes.ts'],
  ])('%s importing %s', (file, other) => expect(forbidden(file, [other])).toEqual([other]));

  test.each([
    ['src/web/app.tsx', 'src/hub/api/status.ts'],
    ['src/web/lib/types.ts', 'src/program/config.ts'],
    ['src/web/lib/types.ts', 'src/features/x/words.ts'],
    ['src/features/x/web/page.tsx', 'src/hub/api/status.ts'],
    ['src/features/x/web/page.tsx', 'src/features/y/routes.ts'],
    ['src/hub/model/store.ts', 'src/hub/api/status.ts'],
  ])('%s importing a type from %s', (file, other) =>
    expect(forbidden(file, [other], true)).toEqual([other]),
  );
});

test('imports point one way', () => {
  expect(files.length).toBeGreaterThan(100);
  const strays = files.filter((file) => !(houseOf(file) in MAY_IMPORT));
  expect(strays).toEqual([]);
  const all = (file: string) => [
    ...forbidden(file, valuesOf(file)),
    ...forbidden(file, typesOf(file), true),
  ];
  expect(faultsOf(files, all)).toEqual([]);
});

/**
 * The imports of all files, seen from a folder: between its own files and sub-folders. Without features, whose lists
 * turn the arrows round: `wall.test.ts` looks at these.
 */
function edgesIn(folder: string): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  const childOf = (path: string) =>
    path.startsWith(`${folder}/`) && (folder !== 'src' || !/^src\/features?[./]/.test(path))
      ? path.slice(folder.length + 1).split('/')[0]
      : undefined;
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

/** How large the house is: only to be seen, beside what it was at the last release. */
async function figures(): Promise<Record<string, number>> {
  const lines = (text: string) => text.split('\n').length - 1;
  const linesOf = async (pattern: string) => {
    const paths = [...new Bun.Glob(pattern).scanSync(ROOT)];
    const all = await Promise.all(paths.map((path) => Bun.file(join(ROOT, path)).text()));
    return sumOf(all.map(lines));
  };
  const sumOf = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);
  const isGenerated = (text: string) => /^\/\*\*[^/]*generated from/.test(text);
  const byHand = [...texts.values()].filter((text) => !isGenerated(text));
  const folders = [...new Set(files.map((file) => dirname(file)))].map((folder) => {
    const own = files.filter((file) => dirname(file) === folder);
    const isOwn = (path: string) => dirname(path) === folder;
    return {
      files: own.length,
      arrows: sumOf(own.map((file) => new Set(importsOf(file).filter(isOwn)).size)),
    };
  });
  return {
    files: files.length,
    'lines by hand': sumOf(byHand.map(lines)),
    'lines of css': await linesOf('src/**/*.css'),
    'lines of tests': await linesOf('test/**/*.ts'),
    'most files of a folder': Math.max(...folders.map((one) => one.files)),
    'most arrows in a folder': Math.max(...folders.map((one) => one.arrows)),
  };
}

test('figures', async () => {
  const found = await figures();
  for (const [name, before] of Object.entries(LAST_RELEASE)) {
    console.log(`${name}: ${found[name]} (0.1.0: ${before})`);
  }
  expect(Object.keys(found)).toEqual(Object.keys(LAST_RELEASE));
});

describe('no cycle between files or folders', () => {
  test('one is found where there is one', () => {
    const edges = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['c', 'd'])],
      ['d', new Set(['a'])],
    ]);
    expect(findCycle(edges)).toEqual(['a', 'b', 'd', 'a']);
  });

  test('none is there', () => {
    const folders = new Set(files.flatMap((file) => [dirname(file), dirname(dirname(file))]));
    const cycles = [...folders]
      .filter((folder) => folder !== '.')
      .map((folder) => [folder, findCycle(edgesIn(folder))])
      .filter(([, cycle]) => cycle !== null);
    expect(cycles).toEqual([]);
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

test('comments name only files that are there', () => {
  const folders = '{src,agent,test,scripts,docs}/**/*.{ts,tsx,md}';
  const all = [
    ...files,
    ...new Bun.Glob(folders).scanSync(ROOT),
    ...new Bun.Glob('*').scanSync(ROOT),
  ];
  const named = (file: string) =>
    [...(texts.get(file) ?? '').matchAll(/\/\*.*?\*\/|^\s*\/\/.*/gms)]
      .flatMap(([comment]) => comment.match(/[\w./-]*\w\.(?:tsx?|md)\b/g) ?? [])
      .map((name) => name.replace(/^[./]+/, ''));
  const isThere = (name: string) => all.some((path) => `/${path}`.endsWith(`/${name}`));
  expect(faultsOf(files, (file) => named(file).filter((name) => !isThere(name)))).toEqual([]);
});

test('what a file exports is named by a file that imports it', async () => {
  const importers = new Map<string, Set<string>[]>();
  const exported = new Map<string, string[]>();
  for (const file of new Bun.Glob('{src,agent,test,scripts}/**/*.{ts,tsx}').scanSync(ROOT)) {
    const text = await Bun.file(join(ROOT, file)).text();
    const words = new Set(text.match(/\w+/g));
    for (const path of pathsIn(file, text)) {
      importers.set(path, [...(importers.get(path) ?? []), words]);
    }
    const names = text.matchAll(/^export (?:async )?(?:function\*?|const|let|class|type) (\w+)/gm);
    exported.set(
      file,
      [...names].map(([, name = '']) => name),
    );
  }
  const unused = (file: string) =>
    exported.get(file)?.filter((name) => !importers.get(file)?.some((words) => words.has(name))) ??
    [];
  // Imported by the text of a program that a test starts.
  exported.delete('test/features/ship/engine.ts');
  expect(faultsOf([...exported.keys()], unused)).toEqual([]);
});

/** The texts that a pattern forbids in files. */
const holding = (some: readonly string[], pattern: RegExp): string[] =>
  faultsOf(some, (file) => pattern.exec(texts.get(file) ?? '')?.slice(0, 1) ?? []);

/** The files and libraries that are loaded with a file: not those of its `import()`s. */
function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const text = (texts.get(file) ?? '').replace(TYPES, '').replace(/import\('[^']+'\)/g, '');
  for (const path of pathsIn(file, text)) loadedWith(path, loaded);
  for (const [, library = ''] of text.matchAll(/from '([^.'][^']*)'/g)) loaded.add(library);
  return loaded;
}

test.each([
  // It does this twice: before and after it replaces itself.
  ['src/main.ts', ['elysia', 'src/program/cli/commands.ts']],
  ['src/program/serve/serve.ts', ['yaml', 'src/program/serve/agent.ts']],
  ['src/program/serve/agent.ts', ['drizzle-orm', 'src/hub/app.ts', 'node:http']],
])('%s loads nothing that is used later or by others', (file, others) => {
  const loaded = loadedWith(file);
  expect(loaded.size).toBeGreaterThan(50);
  expect(others.filter((other) => loaded.has(other))).toEqual([]);
});

describe('one place for each effect', () => {
  const all = files.filter((file) => houseOf(file) !== 'web');

  test('the environment, signals and the exit code', () => {
    const others = all.filter((file) => file !== 'src/main.ts');
    expect(holding(others, /process\.(env|exit|argv|on)\b/)).toEqual([]);
  });

  test('listening', () => {
    // ports.ts only tries whether a port is free, and the echo answers nobody but the trials of a replay.
    const may = [
      'src/program/listen.ts',
      'agent/caddy/ports/ports.ts',
      'agent/features/replay/echo.ts',
    ];
    const others = all.filter((file) => !may.includes(file));
    expect(holding(others, /\.listen\(|Bun\.serve\(/)).toEqual([]);
  });

  test('the database is behind the routes', () => {
    const routes = all.filter((file) => /routes\.ts$|^src\/hub\/api\//.test(file));
    const toSchema = (path: string) => path.endsWith('db/schema.ts');
    expect(faultsOf(routes, (file) => importsOf(file).filter(toSchema))).toEqual([]);
  });
});

/** `^` also begins after \r, U+2028 and U+2029, which `\s` and `[^\S\n]` contain: a run of them is read anew at each. */
test('no pattern begins at every line end with what may be a line end itself', () => {
  const others = files.filter((file) => houseOf(file) !== 'web');
  expect(holding(others, /\/[^/\n]*(?<!\[)\^(?:\\s|\[\^\\S)[^/\n]*\/[gisuy]*m/)).toEqual([]);
  expect(
    /\/[^/\n]*(?<!\[)\^(?:\\s|\[\^\\S)[^/\n]*\/[gisuy]*m/.test(String.raw`/^[^\S\n]*a/m`),
  ).toBe(true);
});

describe('the dashboard', () => {
  test('gets only constants and words from the files that it may import', () => {
    const words = files
      .filter((file) => houseOf(file) === 'web')
      .flatMap((file) => importsOf(file).filter((path) => path === wordsBeside(file)));
    expect(faultsOf(words, importsOf)).toEqual([]);
    for (const constants of ['src/shared/patterns.ts', 'src/shared/caddyfile/names.ts']) {
      expect(texts.get(constants)).not.toMatch(/=>|\bfunction\b|\bfrom '/);
    }
  });

  const all = files.filter((file) => houseOf(file) === 'web');

  test('keeps text from strangers text, and no `style` breaks the page’s own policy', () => {
    const pattern = /innerHTML|insertAdjacentHTML|document\.write|\sstyle="/i;
    expect(holding(all, pattern)).toEqual([]);
  });

  test('has one style sheet, since the bundler puts several in any order', () => {
    expect(holding(all, /import [^;]*\.css'/)).toEqual([]);
  });

  test('leaves nothing of the hub’s behind in a browser', () => {
    // It keeps how the page looks.
    const others = all.filter((file) => file !== 'src/web/lib/use-browser.ts');
    expect(holding(others, /localStorage|sessionStorage/)).toEqual([]);
  });
});
