// proof: features
/** The same of the binary, which has loaded nothing but what it was built from: the core alone, and without each feature. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FEATURES } from '../../src/features.ts';
import { runBinary } from '../harness/binary.ts';
import { BUILD_TIMEOUT_MS, buildForHere } from '../harness/build.ts';
import { limit } from '../harness/speed.ts';
import { ask, freePort, portSettings, signUp, temporaryFolder } from '../harness/stack.ts';

const folder = temporaryFolder();
let binary: string;

beforeAll(async () => {
  const dist = join(folder, 'dist');
  mkdirSync(dist);
  binary = await buildForHere(dist);
}, BUILD_TIMEOUT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAMES = FEATURES.map(({ name }) => name);
/** The features that there are without one: those that need it are out as well. */
function without(name: string): string[] {
  const dependents = FEATURES.filter(({ needs = [] }) => needs.includes(name));
  const out = [name, ...dependents.map((one) => one.name)];
  return NAMES.filter((one) => !out.includes(one));
}

test.each([['any', []], ...NAMES.map((name) => [name, without(name)] as [string, string[]])] as [
  string,
  string[],
][])(
  'without %s, a site goes live, survives a kill and is undone',
  async (name, features) => {
    const cwd = join(folder, name);
    mkdirSync(cwd);
    const port = freePort();
    const env = { ...portSettings(port), SIGNALBOX_FEATURES: features.join(',') };
    const start = () => runBinary(binary, [], env, cwd);
    const served = async () =>
      (await ask(`http://127.0.0.1:${port}/`, { headers: { Host: 'a.example' } })).text;
    let program = start();
    try {
      let hub = `${await program.address('hub')}/api`;
      const { headers } = await signUp({ hub });
      const json = { domain: 'http://a.example', config: 'respond here' };
      expect(await ask(`${hub}/vhosts`, { method: 'POST', headers, json })).toMatchObject({
        status: 201,
      });
      const refused = { domain: 'http://b.example', config: 'respnd' };
      expect(await ask(`${hub}/vhosts`, { method: 'POST', headers, json: refused })).toMatchObject({
        body: { code: 'PROXY_REJECTED' },
      });
      expect(await served()).toBe('here');

      program.child.kill('SIGKILL');
      await program.exited();
      program = start();
      hub = `${await program.address('hub')}/api`;
      expect(await served()).toBe('here');
      const { body } = await ask<{ group: number }[]>(`${hub}/changelog?grouped=true`, { headers });
      expect(body).toHaveLength(1);
      const undo = `${hub}/changelog/groups/${body[0]?.group}/revert`;
      expect(await ask(undo, { method: 'POST', headers })).toMatchObject({ status: 200 });
      expect((await ask<object[]>(`${hub}/vhosts`, { headers })).body).toEqual([]);
    } finally {
      program.child.kill('SIGTERM');
      expect((await program.exited()).code).toBe(0);
    }
  },
  limit(60_000),
);
