/** The style sheets have no rules for what the dashboard no longer has. */
import { expect, test } from 'bun:test';

const textOf = async (...patterns: string[]) => {
  const paths = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync('.')]);
  return (await Promise.all(paths.map((path) => Bun.file(path).text()))).join('\n');
};

/** Whether a class is in the code as a word of a text, or as `STEM-${…}`. */
function isIn(code: string, name: string): boolean {
  const stem = name.replace(/[^-]*$/, '');
  return (
    new RegExp(`['"\`\\s]${name}['"\`\\s]`).test(code) ||
    (stem !== '' && code.includes(`${stem}\${`))
  );
}

test('each class of a style sheet is one of the dashboard', async () => {
  const code = await textOf('src/web/**/*.tsx', 'src/features/*/web/**/*.tsx');
  const styles = await textOf('src/web/**/*.css', 'src/features/*/web/**/*.css');
  const rules = styles.replace(/\/\*.*?\*\/|"[^"]*"/gs, '');
  const names = new Set([...rules.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name ?? ''));
  expect(names.size).toBeGreaterThan(100);
  expect(isIn(code, 'no-such-class')).toBe(false);
  expect([...names].filter((name) => !isIn(code, name))).toEqual([]);
});
