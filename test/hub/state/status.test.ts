/** The problems and advisories in `/status`. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADVISORIES_AS_OF, advisoriesFor, SAFE_VERSION } from '../../../src/shared/advisories.ts';
import { ask, freePort, signUp, startStack, temporaryFolder, until } from '../../harness/stack.ts';

type Status = {
  problems: { code: string; level: string; vhost?: object; since: string; message: string }[];
  proxy: { version: string };
  advisories: { id: string }[] | null;
  advisoriesAsOf: string;
  upgrade: string | null;
};

test('/status names the advisories that affect the proxy', async () => {
  const stack = await startStack();
  try {
    const { headers } = await signUp(stack);
    const { body } = await ask<Status>(`${stack.hub}/status`, { headers });
    const printed = Bun.spawnSync(['caddy', 'version']).stdout.toString();
    expect(printed).toContain(body.proxy.version);
    expect(body.advisories).toEqual(advisoriesFor(printed.trim()));
    expect(body.advisoriesAsOf).toBe(ADVISORIES_AS_OF);
    if (body.advisories?.length === 0) expect(body.upgrade).toBeNull();
    else expect(body.upgrade).toContain(`Install Caddy ${SAFE_VERSION} or newer`);
  } finally {
    await stack.stop();
  }
});

test('/status does not guess about a Caddy that does not print its version', async () => {
  const folder = temporaryFolder();
  const bin = join(folder, 'caddy-devel');
  const script = '[ "$1" = version ] && echo "(devel)" && exit\nexec caddy "$@"';
  writeFileSync(bin, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const stack = await startStack({ PROXY_BIN: bin }, folder);
  try {
    const { headers } = await signUp(stack);
    const { body } = await ask<Status>(`${stack.hub}/status`, { headers });
    expect(body).toMatchObject({ proxy: { running: true, version: null } });
    expect(body).toMatchObject({ advisories: null, upgrade: null });
  } finally {
    await stack.stop();
  }
});

/** Longer than the hub waits before it asks for the states again. */
const CURED_MS = 30_000;

test('/status names an upstream that is down, since it is, and no longer once it is back', async () => {
  const stack = await startStack();
  const { headers } = await signUp(stack);
  const read = async () => {
    const { problems } = (await ask<Status>(`${stack.hub}/status`, { headers })).body;
    return problems.find(({ code }) => code === 'UPSTREAM_DOWN');
  };
  try {
    const port = freePort();
    const json = { domain: 'http://down.example', config: `reverse_proxy 127.0.0.1:${port}` };
    const { id } = (await ask<{ id: number }>(`${stack.hub}/vhosts`, { headers, json })).body;
    expect((await stack.served('down.example')).status).toBe(502);
    const found = await until(read, 'the problem', CURED_MS);
    expect(found).toMatchObject({ level: 'bad', vhost: { id, domain: 'http://down.example' } });
    expect(found.message).toMatch(/^127\.0\.0\.1:\d+ does not answer: .*connection refused/);
    expect((await read())?.since).toBe(found.since);

    const server = Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response('back') });
    await until(async () => (await stack.served('down.example')).status === 200);
    await until(async () => !(await read()), 'the end of the problem', CURED_MS);
    await server.stop(true);
  } finally {
    await stack.stop();
  }
}, 90_000);
