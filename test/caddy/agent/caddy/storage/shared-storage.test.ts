/** Twins that share certificates: what one Caddy has signed or obtained, the other presents. */
import { expect, test } from 'bun:test';
import { chmodSync } from 'node:fs';
import { connect } from 'node:tls';
import { startFleet } from '../../../../harness/fleet.ts';
import { folderForFile, forFile } from '../../../../harness/for-file.ts';
import { until } from '../../../../harness/stack.ts';

const shared = folderForFile();
// As an NFS export that any of its users may write to.
chmodSync(shared, 0o777);
const fleet = await forFile(startFleet(['twin'], { PROXY_STORAGE: shared }));
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
