/** A change whose caller no longer waits never becomes live. */
import { afterEach, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { caddiesOf } from '../../../harness/caddys.ts';
import { type Program, runProgram } from '../../../harness/program.ts';
import { limit } from '../../../harness/speed.ts';
import { ask, freePort, temporaryFolder, until } from '../../../harness/stack.ts';

const bin = 'caddy';

const TOKEN = 'late-'.repeat(8);
let program: Program;
let folder: string;
afterEach(async () => {
  program.child.kill('SIGCONT');
  program.child.kill('SIGTERM');
  await program.exited();
  expect(caddiesOf(join(folder, 'data'))).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

async function start(bin: string) {
  folder = temporaryFolder();
  const port = freePort();
  program = runProgram(
    ['agent'],
    {
      DATA_DIR: join(folder, 'data'),
      AGENT_TOKEN: TOKEN,
      AGENT_PORT: '0',
      PROXY_MANAGED: 'true',
      PROXYFILE: join(folder, 'Caddyfile'),
      PROXY_BIN: bin,
      ACCESS_LOG: join(folder, 'access.log'),
    },
    folder,
  );
  const agent = await program.address('agent');
  await until(() => caddiesOf(join(folder, 'data'), bin).length === 1);
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
  return {
    url: `${agent}/proxy/reload`,
    headers,
    body: (text: string, more = {}) => ({
      proxyfile: `http://a.example:${port} {\n\trespond ${text}\n}\n`,
      ...more,
    }),
    served: () => ask(`http://127.0.0.1:${port}/`, { headers: { Host: 'a.example' } }),
  };
}

describe('with Caddy', () => {
  test('if the agent was stopped until the caller had gone', async () => {
    const { url, headers, body, served } = await start(bin);
    expect((await ask(url, { json: body('before'), headers })).status).toBe(200);
    program.child.kill('SIGSTOP');
    const late = fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body('late')),
      signal: AbortSignal.timeout(limit(300)),
    });
    expect(late).rejects.toThrow();
    await late.catch(() => undefined);
    program.child.kill('SIGCONT');
    const answered = () => program.output.err.match(/route=\/proxy\/reload/g)?.length === 2;
    await until(answered, 'the end of the late change');
    expect((await served()).text).toBe('before');
  });

  test('if the caller says that it waits no longer', async () => {
    const { url, headers, body, served } = await start(bin);
    expect((await ask(url, { json: body('before', { deadline: 30_000 }), headers })).status).toBe(
      200,
    );
    const { status } = await ask(url, { json: body('late', { deadline: 0 }), headers });
    expect(status).toBe(409);
    expect((await served()).text).toBe('before');
  });
});
