/** Twins that share certificates: what one Caddy has signed or obtained, the other presents. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, rmSync } from 'node:fs';
import { connect } from 'node:tls';
import { type Fleet, startFleet } from '../../../../harness/fleet.ts';
import { temporaryFolder, until } from '../../../../harness/stack.ts';

const shared = temporaryFolder();
let fleet: Fleet;
beforeAll(async () => {
  // As an NFS export that any of its users may write to.
  chmodSync(shared, 0o777);
  fleet = await startFleet(['twin'], { PROXY_STORAGE: shared });
});
afterAll(async () => {
  await fleet.stop();
  rmSync(shared, { recursive: true, force: true });
});

/** The fingerprint of the certificate that is presented for a name. */
const presented = (port: number, servername: string) =>
  new Promise<string | null>((resolve) => {
    const socket = connect(
      { host: '127.0.0.1', port, servername, rejectUnauthorized: false },
      () => {
        const { fingerprint256 = null } = socket.getPeerCertificate();
        socket.destroy();
        resolve(fingerprint256);
      },
    );
    socket.on('error', () => resolve(null));
  });

test('two Caddys with one storage present the same certificate', async () => {
  const site = { domain: 'nas.lan', config: 'tls internal\nrespond hi' };
  expect((await fleet.call('POST', '/vhosts', site)).status).toBe(201);
  const ports = [fleet.stack.httpsPort, fleet.other('twin').httpsPort];
  const [first, other] = await Promise.all(
    ports.map((port) => until(() => presented(port, 'nas.lan'), 'a certificate')),
  );
  expect(first).toBe(other as string);
});

test('a config still cannot choose a storage', async () => {
  const config = `{\n\tstorage file_system /tmp\n}`;
  const refused = await fleet.call<{ code: string }>('PUT', '/preamble?agent=twin', { config });
  expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
});

test('no config reaches the keys in it', async () => {
  for (const path of [shared, `${shared}/certificates`]) {
    const site = { domain: 'http://keys.lan', config: `root * ${path}\nfile_server` };
    const refused = await fleet.call<{ code: string; detail: string }>('POST', '/vhosts', site);
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
  }
});
