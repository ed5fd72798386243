/** What is tested when: the quick set needs no program that it does not install, and keeps every promise. */
import { describe, expect, test } from 'bun:test';
import { dirname, join } from 'node:path';
import { findTestFiles, partIn } from '../scripts/tests/files.ts';
import { PART_NAMES, PROGRAMS_OF_PARTS, partOf } from '../scripts/tests/parts.ts';

const ROOT = join(import.meta.dir, '..');
const files = await findTestFiles(ROOT);
const quick = files
  .filter(({ part, path }) => part === null && path !== 'test/sets.test.ts')
  .map(({ path }) => path);
const texts = new Map(
  await Promise.all(
    [...new Bun.Glob('test/**/*.{ts,tsx}').scanSync(ROOT)].map(
      async (path) => [path, await Bun.file(join(ROOT, path)).text()] as const,
    ),
  ),
);

/** The file, and all of `test/` that it imports, directly or not. */
function reachedFrom(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !texts.has(file)) return seen;
  seen.add(file);
  for (const [, path = ''] of (texts.get(file) ?? '').matchAll(/from '(\.[^']+)'/g)) {
    reachedFrom(join(dirname(file), path), seen);
  }
  return seen;
}

/** The programs of parts that a text starts, or looks for. */
function programsIn(text: string): string[] {
  if (!/\bspawn(?:Sync)?\(|\bwhich\(|\bfindServer\(|\bBun\.\$/.test(text)) return [];
  const quoted = new RegExp(`['"\`](?:/[\\w/]+/)?(${PROGRAMS_OF_PARTS.join('|')})['"\`]`, 'g');
  return [...text.matchAll(quoted)].map(([, name = '']) => name);
}

describe('the first line of a file', () => {
  test.each<[string, string | null]>([
    ['// proof: podman\n', 'podman'],
    ['/** A test. */\n// proof: podman\n', null],
    ["import { test } from 'bun:test';\n", null],
    ['', null],
  ])('%j says where it belongs', (text, part) =>
    expect<string | null>(partIn(text, 'a.test.ts')).toBe(part),
  );

  test.each(['// proof: nobody', '// proof', '// proof: podman, nginx', '// proof: constructor'])(
    '%s is refused',
    (line) => expect(() => partIn(`${line}\n`, 'a.test.ts')).toThrow('a.test.ts'),
  );

  test('is the only one that says so', () => {
    const late = files.filter(({ path }) => /\n\/\/ proof/.test(texts.get(path) ?? ''));
    expect(late.map(({ path }) => path)).toEqual([]);
  });

  test('names every part of some file', () => {
    const named = new Set<string | null>(files.map(({ part }) => part));
    expect(PART_NAMES.filter((name) => !named.has(name))).toEqual([]);
  });
});

describe('the quick set', () => {
  test.each([
    ["Bun.spawn(['podman', 'run'])", ['podman']],
    ["const at = '/usr/sbin/nginx';\nBun.spawnSync([at]);", ['nginx']],
    ["Bun.which('lego')", ['lego']],
    ["const kind = 'ntfy';", []],
    ["Bun.spawn(['caddy'])", []],
  ])('%s is seen to start %j', (text, programs) => expect(programsIn(text)).toEqual(programs));

  test('starts no program that it does not install', () => {
    const strangers = quick.flatMap((path) =>
      [...reachedFrom(path)].flatMap((file) =>
        programsIn(texts.get(file) ?? '').map((program) => `${path}: ${program} in ${file}`),
      ),
    );
    expect(strangers).toEqual([]);
  });

  test('has a limit of time nowhere that is the same on every machine', () => {
    const constant =
      /^\s*\}, \d[\d_]{3,}\);$|setDefaultTimeout\(\d[\d_]*\)|^\s*\},\n\s*\d[\d_]{5,},\n\s*\);$/m;
    expect(constant.test('}, 60_000);')).toBe(true);
    const named = [...texts].filter(
      ([file, text]) => !/^test\/(?:sets|bench)/.test(file) && constant.test(text),
    );
    expect(named.map(([file]) => file)).toEqual([]);
  });

  test('asserts nowhere how long something took, which is for benchmarks', () => {
    const timed = /expect\((?:performance\.now\(\)|Date\.now\(\)) - \w+\)/;
    expect(timed.test('expect(performance.now() - from).toBeLessThan(9)')).toBe(true);
    const named = [...texts].filter(
      ([file, text]) => !/^test\/(?:sets|bench)/.test(file) && timed.test(text),
    );
    expect(named.map(([file]) => file)).toEqual([]);
  });
});

describe('docs/promises.md', async () => {
  const text = await Bun.file(join(ROOT, 'docs/promises.md')).text();
  const promises = text.split('\n').flatMap((line) => {
    const [, promise = '', tests] = /^\| (.*) \| (`.*`) \|$/.exec(line) ?? [];
    const places = [...(tests ?? '').matchAll(/`([^`]+)`/g)].map(([, place]) => `test/${place}`);
    return tests === undefined ? [] : [{ promise, places }];
  });
  const ofPlace = (place: string) => files.filter(({ path }) => path.startsWith(place));

  test('names tests that there are', () => {
    expect(promises.length).toBeGreaterThan(100);
    const places = promises.flatMap((one) => one.places);
    expect(places.filter((place) => ofPlace(place).length === 0)).toEqual([]);
  });

  test('has a test of the quick set for every promise that needs no further program', () => {
    const needsProgram = (name: (typeof PART_NAMES)[number]) => {
      const { installs = [], downloads = [] } = partOf(name);
      return installs.length + downloads.length > 0;
    };
    const left = promises.filter(({ places }) => {
      const tests = places.flatMap(ofPlace);
      return tests.every(({ part }) => part !== null && !needsProgram(part));
    });
    expect(left).toEqual([]);
  });
});

describe('docs/audit.md', async () => {
  const text = await Bun.file(join(ROOT, 'docs/audit.md')).text();
  const row = /^\| .+ ((?:CVE|GHSA)-[\w-]+) \| .+ \| .+ \| `(\S+)`: (.+) \|$/;
  const rows = text.split('\n').filter((line) => /^\| .*(?:CVE|GHSA)-/.test(line));

  test.each(rows)('%s', async (line) => {
    const [, , place, name = ''] = row.exec(line) ?? [];
    const path = `test/${place}.test.ts`;
    expect(files.map((file) => file.path)).toContain(path);
    expect(name).not.toBe('');
    const calls = (texts.get(path) ?? '').replaceAll(/\(\s+/g, '(');
    expect([`('${name}',`, `("${name}",`].filter((one) => calls.includes(one))).toHaveLength(1);
  });

  test('has at least 25 advisories, each once', () => {
    const ids = rows.map((line) => row.exec(line)?.[1]);
    expect(new Set(ids).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThanOrEqual(25);
  });
});
