// proof: docs
/** `bun run docs`: the same pages as files, which need no server; and the search, in a browser. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import AXE from 'axe-core';
import { launchBrowser } from '../../harness/browser.ts';
import { folderForFile } from '../../harness/for-file.ts';
import { BROWSER_TIMEOUT_MS } from '../../harness/visit.ts';

setDefaultTimeout(4 * BROWSER_TIMEOUT_MS);

const ROOT = join(import.meta.dir, '../../..');
const folder = folderForFile();

test('every link of every file leads to a file', async () => {
  const run = Bun.spawn([process.execPath, 'scripts/docs.ts', '--outdir', folder], {
    cwd: ROOT,
    stderr: 'pipe',
  });
  expect([await run.exited, await run.stderr.text()]).toEqual([0, '']);
  const files = readdirSync(folder);
  expect(files).toContain('index.html');
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    expect([file, text.includes('"/docs')]).toEqual([file, false]);
    for (const [, to = ''] of text.matchAll(/ (?:href|src)="([^"#:]+)(?:#[^"]*)?"/g)) {
      expect([file, to, files.includes(to)]).toEqual([file, to, true]);
    }
  }
});

test('pages are read, searched by keyboard and axe-clean at three widths', async () => {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    for (const [width, name] of [
      [1440, 'index'],
      [390, 'reference'],
      [320, 'security'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(String(pathToFileURL(join(folder, `${name}.html`))));
      await page.addScriptTag({ content: AXE.source });
      const found = await page.evaluate(
        'axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))',
      );
      expect([name, found]).toEqual([name, []]);
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      expect([name, wide]).toEqual([name, width]);
    }
    await page.keyboard.press('/');
    await page.keyboard.type('second factor');
    await page.getByRole('status').getByRole('link').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#/);
    expect(asked.every((url) => url.startsWith('file:'))).toBe(true);
    await page.getByRole('searchbox').fill('zzz');
    await page.getByText('Nothing found.').waitFor();
  } finally {
    await browser.close();
  }
});
