// proof: faults
/** A real container by its name, which only containers know; and the cure, word for word. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Explanation } from '../../../../src/features/explain/schemas.ts';
import { type Program, runProgram } from '../../../harness/program.ts';
import { limit } from '../../../harness/speed.ts';
import { temporaryFolder, until } from '../../../harness/stack.ts';
import { HAS_PODMAN, type RealEngine, startEngine } from '../../containers/engine.ts';
import { judged } from './staged.ts';

const API = 'http://127.0.0.1:3000/api';
const NAME = 'jellyfin';

describe.skipIf(!HAS_PODMAN)('a container', () => {
  const folder = temporaryFolder();
  let engine: RealEngine;
  let program: Program;
  let token = '';

  beforeAll(async () => {
    engine = await startEngine();
    const { prefix } = engine.network;
    program = runProgram([], { DATA_DIR: join(folder, 'data') }, folder, { prefix });
    await program.address('agent');
    const account = { name: 'Ada', email: 'ada@example.org', password: 'a long passphrase' };
    ({ token } = await api<{ token: string }>('POST', '/auth/sign-up/email', account));
  }, limit(60_000));
  afterAll(async () => {
    program?.child.kill('SIGTERM');
    await program?.child.exited;
    await engine?.end();
    rmSync(folder, { recursive: true, force: true });
  });

  async function api<T>(method: string, path: string, json: object): Promise<T> {
    const header = token === '' ? '' : `-H 'Authorization: Bearer ${token}'`;
    const asked = `curl -s -X ${method} ${API}${path} ${header} -d '${JSON.stringify(json)}'`;
    return JSON.parse(await engine.network.run(asked)) as T;
  }

  test(
    'that the site names: UPSTREAM_NAME, until its port is published',
    async () => {
      await engine.up({ name: NAME, serves: 8096 });
      const domain = `http://${NAME}.example`;
      const site = { domain, config: 'reverse_proxy {upstream}', upstream: `${NAME}:8096` };
      const { id } = await api<{ id: number }>('POST', '/vhosts', site);
      const explain = () => api<Explanation>('POST', '/explanations', { vhost: id });
      const found = await explain();
      judged({ cause: 'UPSTREAM_NAME', names: /container/ }, found);

      const cure = found.cure?.words ?? '';
      const [, port = ''] = /ports: \["([^"]+)"\]/.exec(cure) ?? [];
      const [, upstream = ''] = /use (\S+) as the upstream/.exec(cure) ?? [];
      await engine.rm(NAME);
      // As `-p` of Podman has it: the address of the host, its port, and that of the container.
      const [, host = '', inside = ''] = /^(.*):(\d+)$/.exec(port) ?? [];
      await engine.up({ name: NAME, serves: 8096, ports: { [`${inside}/tcp`]: host } });
      await api('PUT', `/vhosts/${id}`, { upstream });
      const visit = `curl -s --resolve ${NAME}.example:80:127.0.0.1 ${domain}`;
      await until(
        async () => (await engine.network.run(`${visit} || :`)).trim() === NAME,
        'a visitor who gets the page',
      );
      expect((await explain()).verdict).toBe('works');
    },
    limit(90_000),
  );
});
