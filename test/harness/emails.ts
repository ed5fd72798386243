/** Sends email from a running program to a real server whose certificate it trusts. */
import { expect } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from './program.ts';
import { startMailServer } from './smtp.ts';
import { ask, signUp, temporaryFolder, until } from './stack.ts';

/**
 * Over STARTTLS, TLS and neither; and expects that a wrong password is refused.
 * @param start starts it in the one-machine mode, with these variables
 */
export async function sendEmails(start: (env: Record<string, string>) => Program): Promise<void> {
  const folder = temporaryFolder();
  const server = await startMailServer();
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, server.certificate);
  const program = start({ NODE_EXTRA_CA_CERTS: authority });
  try {
    const hub = `${await program.address('hub')}/api`;
    const { headers } = await signUp({ hub });
    const { user, password, startTlsPort, tlsPort, plainPort } = server;
    const common = { host: server.host, from: user, to: user };
    const send = async (target: object) => {
      const json = { name: 'Mail', kind: 'smtp', target: { ...common, ...target } };
      const { body } = await ask<{ id: number }>(`${hub}/channels`, { json, headers });
      const url = `${hub}/channels/${body.id}/test`;
      return (await ask<{ success?: true; detail?: string }>(url, { method: 'POST', headers }))
        .body;
    };
    const refused = await send({ port: startTlsPort, user, password: 'another passphrase' });
    expect(refused.detail).toBe('SMTP 535: the user or password was refused');
    expect(server.mails()).toEqual([]);
    for (const target of [
      { port: startTlsPort, user, password },
      { port: tlsPort, security: 'tls', user, password },
      { port: plainPort, security: 'none' },
    ]) {
      expect(await send(target)).toEqual({ success: true });
    }
    await until(() => server.mails().length === 3, 'three mails');
    program.child.kill('SIGTERM');
    const { code, out, err } = await program.exited();
    expect(code).toBe(0);
    const log = `${out}${err}`.split('\n').filter((line) => line.startsWith('time='));
    expect(log.join('\n')).toContain('route=/api/channels/:id/test status=502');
    expect(log.join('\n')).not.toMatch(/passphrase|ada@example\.org/);
  } finally {
    program.child.kill('SIGKILL');
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
