/** The words of the dashboard: a thing has one name on all pages, and never that of the code. */
import { expect, test } from 'bun:test';

/** What is not said, and what is said instead. */
const REFUSED: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\bpreambles?\b/i, 'Caddy options'],
  [/\bvhosts?\b/i, 'site'],
  [/\brecipes?\b/i, 'kind of policy'],
  [/\bsources?\b/i, 'what manages the site'],
  [/\bkept\b/i, 'stored'],
  [/\bin[ -]step\b/i, 'up to date'],
  [/\bbehind\b/i, 'out of date'],
  [/\bdrift(?:s|ed)?\b/i, 'changed outside signalbox'],
  [/\btarget Caddyfile\b/i, 'Caddyfile'],
  [/\breplay(?:s|ed|ing)?\b/i, 'the last week'],
  [/\be-mails?\b/i, 'email'],
];

/** Examples that name an address of the API. */
const EXCEPTIONS = [/^curl /];

/** Properties whose text nobody sees, such as classes, addresses and names of fields. */
const HIDDEN =
  /^(?:class|href|to|name|id|key|type|role|path|query|code|kind|op|d|viewBox|autocomplete)$/;
/** Properties whose text is seen, also if it is one small word. */
const SEEN = /^(?:children|label|title|help|button|action|text|hint|placeholder|empty|done)$/;

const transpiler = new Bun.Transpiler();

/** A string or a template; before it, the property that it is the value of. */
const STRING = /(?:(\w+): )?("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)/g;

/** The texts that a file shows: those with a space or a capital that are no address. */
function textsOf(code: string, loader: 'ts' | 'tsx'): string[] {
  const plain = transpiler.transformSync(code, loader).replace(/^import .*$/gm, '');
  return [...plain.matchAll(STRING)].flatMap(([, owner = '', quoted = '']) => {
    const text = quoted.slice(1, -1).replace(/\$\{[^}]*\}/g, '…');
    const isShown = SEEN.test(owner) || /^ | $|[\p{L}…,.:] |^\p{Lu}\p{Ll}/u.test(text);
    return isShown && !HIDDEN.test(owner) && !/^[/?.]/.test(text) ? [text] : [];
  });
}

const refusedIn = (texts: readonly string[]) =>
  texts
    .filter((text) => !EXCEPTIONS.some((exception) => exception.test(text)))
    .flatMap((text) =>
      REFUSED.filter(([word]) => word.test(text)).map(([, instead]) => `${text} → ${instead}`),
    );

test('a refused word is found in what is shown, and not in what only the code says', () => {
  const code = `
    import { kept } from './kept.ts';
    const state = 'behind';
    const path = \`/vhosts/\${kept}\`;
    export const One = () => (
      <a class="source kept" href="/vhosts" title="preamble">
        It is kept{state}. {\`in \${path} replay\`}
      </a>
    );
    export const spec = { name: { label: 'recipe', type: 'a source' } };
  `;
  expect(refusedIn(textsOf(code, 'tsx')).map((one) => one.replace(/ → .*/, ''))).toEqual([
    'preamble',
    'It is kept',
    'in … replay',
    'recipe',
  ]);
});

test('the dashboard says site, policy, problem and change, and no word of the code', async () => {
  const paths = ['src/web/**/*.{ts,tsx}', 'src/features/*/web/**/*.{ts,tsx}']
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync('.')])
    .sort();
  const refused = await Promise.all(
    paths.map(async (path) => {
      const texts = textsOf(await Bun.file(path).text(), path.endsWith('x') ? 'tsx' : 'ts');
      return refusedIn(texts).map((one) => `${path}: ${one}`);
    }),
  );
  expect(paths.length).toBeGreaterThan(200);
  expect(refused.flat()).toEqual([]);
});
