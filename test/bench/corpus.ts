/**
 * Imports each Caddyfile of Caddy's own adapt tests, and compares the adapted JSON before and after, on
 * each Caddy. BENCH_CORPUS is the folder `caddytest/integration/caddyfile_adapt` of Caddy's source.
 * As root, Caddy has a user of its own, as after an installation, and both may write beside the file.
 */
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { comparable, firstDifference } from '../../src/hub/exchange/compare.ts';
import { startAdaptCaddy } from '../harness/adapt-caddy.ts';
import { CADDYS, versionOf } from '../harness/caddys.ts';
import { runProgram } from '../harness/program.ts';
import { ask, portSettings, signUp, temporaryFolder } from '../harness/stack.ts';
import { asUser, isRoot, NOBODY, openFolder } from '../harness/unprivileged.ts';
import { printTable } from './table.ts';

type Answer = { proxyfile: string; code?: string; detail?: string };

export async function run(): Promise<void> {
  const folder = process.env.BENCH_CORPUS;
  if (!folder) {
    console.log('BENCH_CORPUS names no corpus: left out.\n');
    return;
  }
  const files = readdirSync(folder).filter((name) => /\.(caddyfiletest|txt)$/.test(name));
  for (const { bin } of CADDYS) await measure(bin, folder, files.toSorted());
}

async function measure(bin: string, folder: string, files: readonly string[]): Promise<void> {
  const { folder: outer, home: own } = openFolder(process.getuid?.() ?? 0);
  const env = { ...portSettings(), DATA_DIR: join(own, 'data'), PROXY_BIN: Bun.which(bin) ?? bin };
  chmodSync(own, 0o777);
  const program = runProgram([], env, own);
  const hub = `${await program.address('hub')}/api`;
  const { headers } = await signUp({ hub });
  const caddy = await startAdaptCaddy({}, bin);
  const home = temporaryFolder();
  chmodSync(home, 0o777);
  const refused: string[][] = [];
  const counts = { accepted: 0, same: 0, silent: 0 };
  for (const name of files) {
    const [input = ''] = readFileSync(join(folder, name), 'utf8').split('----------');
    const text = `${input.trim()}\n`;
    if (!(await validates(bin, text, home))) continue;
    counts.accepted++;
    const json = { proxyfile: text, dryRun: true };
    const { status, body } = await ask<Answer>(`${hub}/import`, { json, headers });
    if (status !== 200) {
      refused.push([name, body.code ?? String(status), body.detail ?? '']);
      continue;
    }
    const [before, after] = [await caddy.adapt(text), await caddy.adapt(body.proxyfile)];
    const difference = !before.ok
      ? before.error
      : after.ok
        ? firstDifference(comparable(before.json), comparable(after.json))
        : after.error;
    if (difference === null) counts.same++;
    else {
      counts.silent++;
      refused.push([name, 'DIFFERENT', difference]);
    }
  }
  await caddy.stop();
  program.child.kill('SIGTERM');
  await program.exited();
  for (const used of [outer, home]) rmSync(used, { recursive: true, force: true });
  const share = ((100 * counts.same) / counts.accepted).toFixed(1);
  console.log(
    `Caddy ${versionOf(bin)}: of ${counts.accepted} accepted files, ${counts.same} (${share} %) mean the same, ${counts.silent} differ in silence`,
  );
  if (refused.length > 0) printTable(['file', 'outcome', 'why'], refused);
}

async function validates(bin: string, text: string, home: string): Promise<boolean> {
  const command = [bin, 'validate', '--config', '-', '--adapter', 'caddyfile'];
  const child = Bun.spawn([...(isRoot ? asUser(NOBODY) : []), ...command], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
    stdin: new Blob([text]),
    stdout: 'ignore',
    stderr: 'ignore',
  });
  return (await child.exited) === 0;
}
