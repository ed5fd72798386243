/** A page of docs/, whose examples and commands a test runs as they stand there. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN } from './program.ts';

/** The files that a page shows: by path, what stands below the comment that names it. */
export async function filesOf(page: string): Promise<ReadonlyMap<string, string>> {
  const files = (await Bun.file(page).text()).matchAll(/^```\w+\n# (\/etc\/\S+)\n(.*?)^```$/gms);
  return new Map([...files].map(([, path = '', text = '']) => [path, text]));
}

/** @returns the blocks of a language below a heading; the first ones of a page have none */
export async function readPage(file: string) {
  const text = await Bun.file(file).text();
  return {
    text,
    blocksUnder(heading: string, language = 'sh'): string[] {
      const section = heading === '' ? text : (text.split(`\n## ${heading}\n`)[1] ?? '');
      const [own = ''] = section.split('\n## ');
      const blocks = own.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm);
      return [...blocks].flatMap(([, of, block = '']) => (of === language ? [block] : []));
    },
  };
}

/**
 * Puts the program on the PATH, as `signalbox`, for shells in a folder.
 * @param prefix what their command lines start with, to run in another network
 * @returns what runs commands in such a shell, until one fails
 */
export function shellIn(folder: string, prefix: readonly string[] = []) {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const text = `#!/bin/sh\nexec '${process.execPath}' --no-env-file '${MAIN}' "$@"\n`;
  writeFileSync(join(bin, 'signalbox'), text, { mode: 0o755 });
  return async (commands: string, env: Record<string, string> = {}, cwd = folder) => {
    const child = Bun.spawn([...prefix, 'sh', '-ec', commands], {
      cwd,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder, ...env },
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { code: await child.exited, out, err };
  };
}
