/** Installs and downloads what the tests need. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser } from '../../test/harness/browser.ts';
import { DOWNLOADS, type Download, type Part } from './parts.ts';

/** As root, with apt; what cannot be installed is missing, and the tests that need it say so. */
export function install(programs: readonly string[], root: string): void {
  Bun.spawnSync(['sh', 'scripts/provide', ...programs], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** The one without the code for windows, if this release has it: it also needs a fifth less of the processor. */
export function installBrowser(root: string): void {
  for (const name of ['chromium-headless-shell', 'chromium']) {
    if (findBrowser() === null) install([`${name}:${name}`], root);
  }
}

/**
 * Downloads what the variables of the environment do not name yet.
 * @returns variables with the paths of all that is there
 */
export function download(part: Part, root: string): Record<string, string> {
  const folder = join(root, 'node_modules/.cache/fetched');
  // The second Caddy is for everything that compares two.
  const names = [...new Set<Download>(['caddy', ...(part.downloads ?? [])])];
  const wanted = names.filter((name) => !process.env[DOWNLOADS[name]]);
  if (wanted.length === 0) return {};
  if (process.getuid?.() === 0 && Bun.which('apt-get') !== null) {
    const command = ['sh', 'scripts/fetch-debian', folder, ...wanted];
    const { exitCode } = Bun.spawnSync(command, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (exitCode !== 0) console.error('Some programs for tests cannot be downloaded.');
  }
  const there = wanted.filter((name) => existsSync(join(folder, name)));
  return Object.fromEntries(there.map((name) => [DOWNLOADS[name], join(folder, name)]));
}
