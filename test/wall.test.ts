/** The wall between the core and the features: nothing outside a feature imports it, but the lists. */
import { describe, expect, test } from 'bun:test';
import { dirname, join, relative } from 'node:path';
import { FEATURES } from '../src/features.ts';
import { words } from './harness/words.ts';

const ROOT = join(import.meta.dir, '..');

/** The lists of features: of all, and of what they bring to settings, problems and the dashboard. */
const LISTS = words(`
  src/features.ts src/features/settings.ts src/features/problems.ts src/features/failures.ts
  src/features/pages.ts src/features/security.ts src/features/tables.ts src/web/features.ts
  src/web/sign-in-features.ts src/web/account-features.ts src/web/change-features.ts
  src/web/form-features.ts src/web/seldom-features.ts
`);

const files = [...new Bun.Glob('{src,agent}/**/*.{ts,tsx}').scanSync(ROOT)].toSorted();
const texts = new Map(
  await Promise.all(
    files.map(async (file) => [file, await Bun.file(join(ROOT, file)).text()] as const),
  ),
);

const importsOf = (file: string): string[] =>
  [...(texts.get(file) ?? '').matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(
    ([, path]) => relative(ROOT, join(ROOT, dirname(file), path ?? '')),
  );

/** The feature in whose folder a file is; null: it is the core's, or a list. */
const walledIn = (file: string): string | null =>
  LISTS.includes(file) ? null : (/^(?:src|agent)\/features\/([^/]+)\//.exec(file)?.[1] ?? null);

type Arrow = { from: string; to: string };

/** The imports of features by others, but the lists. */
const arrows: Arrow[] = files
  .filter((file) => !LISTS.includes(file))
  .flatMap((from) =>
    importsOf(from).flatMap((to) => {
      const feature = walledIn(to);
      return feature === null || feature === walledIn(from) ? [] : [{ from, to }];
    }),
  );

const shown = (all: readonly Arrow[]): string[] =>
  all.map(({ from, to }) => `${from} -> ${to}`).toSorted();

describe('a feature in a folder of its own', () => {
  test('is in the list, by the name of its folder', () => {
    const folders = files.flatMap((file) => walledIn(file) ?? []);
    expect(FEATURES.map(({ name }) => name).toSorted()).toEqual([...new Set(folders)].toSorted());
  });

  test('is imported by nobody, but for features that need it', () => {
    const needs = new Map(FEATURES.map(({ name, needs = [] }) => [name, needs]));
    const strays = arrows.filter(({ from, to }) => {
      const [own, other] = [walledIn(from), walledIn(to)];
      return own === null || other === null || !needs.get(own)?.includes(other);
    });
    expect(shown(strays)).toEqual([]);
  });

  test('loads only where it runs what is more than its words and settings', () => {
    for (const { name } of FEATURES) {
      const text = texts.get(`src/features/${name}/feature.ts`) ?? '';
      const eager = [...text.matchAll(/^import (?!type )[^;]* from '([^']+)'/gm)].map(
        ([, path]) => path,
      );
      expect(eager.filter((path) => path !== './settings.ts')).toEqual([]);
    }
  });
});

test('figures', () => {
  const lines = (some: readonly string[]) =>
    some.reduce((sum, file) => sum + (texts.get(file) ?? '').split('\n').length - 1, 0);
  const names = [...new Set(files.flatMap((file) => walledIn(file) ?? []))].toSorted();
  const promise = files.filter((file) => PROMISE.some((folder) => file.startsWith(folder)));
  const outside = arrows.filter(({ from }) => walledIn(from) === null);
  console.log(`imports of features from outside, but the lists: ${outside.length}`);
  console.log(`lines of the core: ${lines(files.filter((file) => walledIn(file) === null))}`);
  console.log(`lines of the promise: ${lines(promise.filter((file) => walledIn(file) === null))}`);
  const bags = [...texts.values()].flatMap((text) => [...text.matchAll(BAG)]);
  console.log(`types of dependencies and options: ${bags.length}`);
  for (const name of names) {
    const own = files.filter((file) => walledIn(file) === name);
    const folders = new Set(own.map(dirname)).size;
    console.log(`${name}: ${lines(own)} lines in ${folders} folders`);
  }
  expect(names.length).toBeGreaterThan(0);
});

/** What a part is given at once, which is less simple than two or three parameters. */
const BAG = /^(?:export )?(?:type|interface) \w*(?:Deps|Options)\b/gm;

/** What keeps a change either live and recorded, or none. */
const PROMISE = [
  'agent/caddy/',
  'agent/enrolment/',
  'src/shared/caddyfile/',
  'src/shared/wire/',
  ...['agents', 'auth', 'caddyfile', 'db', 'http', 'model', 'publish'].map(
    (room) => `src/hub/${room}/`,
  ),
];
