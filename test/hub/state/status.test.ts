/** The advisories in `/status`. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { advisoriesFor, SAFE_VERSION } from '../../../src/shared/advisories.ts';
import { ask, signUp, startStack, temporaryFolder } from '../../harness/stack.ts';

type Status = {
  proxy: { version: string };
  advisories: { id: string }[] | null;
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
