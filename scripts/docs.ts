/**
 * `bun run docs [--outdir DIR]`: the pages that a hub has at `/docs`, as files that any server can serve, or a browser
 * can open. They come from such a hub, which runs meanwhile in a temporary folder.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { TEXTS } from '../src/features/docs/texts.ts';
import { readSettings } from '../src/program/config.ts';
import { serveHub } from '../src/program/serve/serve.ts';
import { createLog } from '../src/shared/log.ts';

const FILES = ['docs.css', 'search.js', 'entries.js'];
const PAGES = ['', 'reference', ...Object.keys(TEXTS)];

const { values } = parseArgs({ options: { outdir: { type: 'string', default: 'dist/docs' } } });
const outdir = resolve(values.outdir);
const folder = mkdtempSync(join(tmpdir(), 'signalbox-docs-'));
const TOKEN = 'x'.repeat(43);
const ENV = {
  DATA_DIR: folder,
  HUB_PORT: '0',
  AGENT_TOKEN: TOKEN,
  AGENT_URL: 'http://127.0.0.1:1',
};
const machine = { readFile: (path: string) => readFileSync(path, 'utf8'), which: Bun.which };
const settings = readSettings('hub', ENV, machine);
const silent = createLog(
  () => {},
  () => new Date(),
  settings.log,
);

/** To other pages, and to what they load, as files in one folder. */
const asFiles = (text: string): string =>
  text
    .replace(/"\/docs\/(docs\.css|search\.js)"/g, '"$1"')
    .replace(
      /"\/docs(?:\/([\w-]+))?(#[^"]*)?"/g,
      (_, name = 'index', at = '') => `"${name}.html${at}"`,
    );

const hub = await serveHub(settings.hub, TOKEN, silent);
try {
  mkdirSync(outdir, { recursive: true });
  for (const name of [...PAGES, ...FILES]) {
    const answer = await fetch(`${hub.url}/docs${name && `/${name}`}`);
    if (!answer.ok) throw new Error(`/docs/${name}: ${answer.status}`);
    const file = FILES.includes(name) ? name : `${name || 'index'}.html`;
    writeFileSync(join(outdir, file), asFiles(await answer.text()));
  }
  console.log(`${PAGES.length} pages in ${outdir}`);
} finally {
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
}
