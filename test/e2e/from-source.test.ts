/** `npm start` in a fresh checkout: what it installs is enough to run, and no more. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { idOf, shippedPackages } from '../../scripts/release/packages.ts';
import { host, ROOT } from '../harness/build.ts';
import { runProgram } from '../harness/program.ts';
import { ask, temporaryFolder } from '../harness/stack.ts';

/** Bytes of Bun and the packages together, as the README's reader downloads them. */
const MOST = 165_000_000;

/** Of a package, below `node_modules`; others say how a folder within one is read. */
const MANIFEST = /^(@[^/]+\/)?[^/@.][^/]*\/(node_modules\/(@[^/]+\/)?[^/@.][^/]*\/)*package\.json$/;

const folder = temporaryFolder();
const checkout = join(folder, 'checkout');
const packages = join(checkout, 'node_modules');
const script = join(checkout, 'scripts/with-bun');
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;

beforeAll(() => {
  const files = ['package.json', 'bun.lock', 'bunfig.toml', 'tsconfig.json', 'src', 'agent'];
  for (const path of [...files, 'scripts/with-bun', 'scripts/provide']) {
    cpSync(join(ROOT, path), join(checkout, path), { recursive: true });
  }
  const { exitCode, stderr } = Bun.spawnSync(['sh', script, 'src/main.ts', '--version'], {
    env: { PATH, HOME: process.env.HOME ?? '' },
  });
  expect([exitCode, stderr.toString()]).toEqual([0, '']);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('takes at most 165 MB, with Bun', () => {
  const sizes = readdirSync(packages, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
  const total = sizes.reduce((sum, size) => sum + size, statSync(process.execPath).size);
  expect(total).toBeLessThanOrEqual(MOST);
  for (const name of ['typescript', 'bun-types', 'playwright-core']) {
    expect(existsSync(join(packages, name))).toBe(false);
  }
});

test('is what the list of a release names', () => {
  const manifests = (readdirSync(packages, { recursive: true }) as string[]).filter((path) =>
    MANIFEST.test(path),
  );
  const installed = manifests.map((path) =>
    idOf(JSON.parse(readFileSync(join(packages, path), 'utf8'))),
  );
  const foreign = new RegExp(`^@node-rs/argon2-(?!${host.native}@)`);
  const listed = shippedPackages(ROOT)
    .map(idOf)
    .filter((id) => !foreign.test(id));
  expect(installed.toSorted()).toEqual(listed.toSorted());
});

test('runs the hub with its dashboard', async () => {
  const data = join(folder, 'data');
  const env = { PATH, HUB_PORT: '0', DATA_DIR: data, AGENT_TOKEN: 'x'.repeat(32) };
  const program = runProgram([script, 'src/main.ts', 'hub'], env, folder, { binary: 'sh' });
  const hub = await program.address('hub');
  const page = await ask(`${hub}/`);
  const [, bundled] = /src="(\/[\w-]+\.js)"/.exec(page.text) ?? [];
  expect((await ask(`${hub}${bundled}`)).status).toBe(200);
  program.child.kill('SIGTERM');
  expect((await program.exited()).code).toBe(0);
});
