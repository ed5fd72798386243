// proof: docs
/** The files of docs/layer4.md, as they stand there, apart from addresses and ports. */
import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { caddyIs } from '../../harness/caddys.ts';
import { folderForFile, forFile } from '../../harness/for-file.ts';
import { startOwnNetwork } from '../../harness/own-network.ts';
import { startOwner } from '../../harness/owner.ts';
import { filesOf, readPage } from '../../harness/page.ts';
import { startServer } from '../../harness/server-process.ts';
import { freePort, until } from '../../harness/stack.ts';

const folder = folderForFile();
const at = (name: string) => join(folder, name);
const files = await filesOf('docs/layer4.md');
const page = await readPage('docs/layer4.md');
const NGINX = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` });
const STREAM = '/etc/nginx/modules-enabled/50-mod-stream.conf';
const hasStream = NGINX !== null && (await Bun.file(STREAM).exists());
const network = Bun.which('nft') === null ? null : await startOwnNetwork();

const owner = await forFile(startOwner());
afterAll(() => network?.stop());

test.skipIf(network === null)('nftables sends both ports to the other machine', async () => {
  writeFileSync(at('streams.nft'), files.get('/etc/nftables.d/streams.nft') ?? '');
  const listed = await network?.run(`nft -f ${at('streams.nft')} && nft list ruleset`);
  expect(listed?.match(/(tcp|udp) dport \d+ dnat ip to 10\.9\.0\.2$/gm)).toHaveLength(2);
  expect(listed).toContain('masquerade');
});

describe.skipIf(!hasStream || !caddyIs('>=2.7'))('nginx in front of Caddy', () => {
  test('passes TLS through by its name, and Caddy sees who visits', async () => {
    const { stack, call } = owner;
    const { config } = (await call('GET', '/preamble')).body;
    const [shown = ''] = page.blocksUnder('One port 443 for Caddy and others', 'caddyfile');
    const options = shown.replace(/^\{\n\thttps_port 8443\n/, '').replace(/\}\n$/, '');
    const servers = options.replaceAll(':8443', `:${stack.httpsPort}`);
    const body = { config: config.replace(/\n\}/, `\n\tlocal_certs\n${servers}}`) };
    expect(await call('PUT', '/preamble', body)).toMatchObject({ status: 200 });
    await call('POST', '/vhosts', { domain: 'secure.example', config: 'respond {client_ip}' });

    let heard = '';
    const other = Bun.listen({
      port: 0,
      hostname: '127.0.0.1',
      socket: {
        data(socket, bytes) {
          heard += bytes.toString('latin1');
          socket.end();
        },
      },
    });
    const port = freePort();
    const text = (files.get('/etc/nginx/nginx.conf') ?? '')
      .replace('/etc/nginx/modules-enabled/*.conf', STREAM)
      .replace('127.0.0.1:8443', `127.0.0.1:${stack.httpsPort}`)
      .replace('10.9.0.2:443', `127.0.0.1:${other.port}`)
      .replace('listen 443;', `listen 127.0.0.1:${port};`);
    const own = `pid ${at('nginx.pid')};\nerror_log ${at('error.log')};\ndaemon off;\nmaster_process off;\n`;
    writeFileSync(at('nginx.conf'), own + text);
    const stop = await startServer([NGINX ?? '', '-c', at('nginx.conf')], folder, port);
    try {
      const visit = (name: string, through: number, from = '127.0.0.1') => {
        const to = `${name}:443:127.0.0.1:${through}`;
        const command = ['curl', '-sk', '-m', '10', '--interface', from, '--connect-to', to];
        const child = Bun.spawn([...command, `https://${name}/`], { stderr: 'ignore' });
        return child.stdout.text();
      };
      const first = () => visit('secure.example', port, '127.0.0.9');
      await until(async () => (await first()) === '127.0.0.9', 'the visitor');
      expect(await visit('vpn.example', port)).toBe('');
      expect(heard).toStartWith('PROXY TCP4 127.0.0.1 ');
      // signalbox itself asks Caddy without a word of who it is.
      expect(await visit('secure.example', stack.httpsPort)).toBe('127.0.0.1');
      const entries = () => readFileSync(stack.accessLog, 'utf8');
      await until(() => entries().includes('"client_ip":"127.0.0.9"'), 'the entry of the visit');
    } finally {
      await stop();
      other.stop(true);
    }
  });
});

test('the plugin’s option is passed on, and a Caddy without it refuses it by the name of its package', async () => {
  const [option = ''] = page.blocksUnder('A plugin of Caddy', 'caddyfile');
  const { config } = (await owner.call('GET', '/preamble')).body;
  const body = { config: config.replace(/\n\}/, `${option.slice(1, -2)}}`) };
  const refused = await owner.call('PUT', '/preamble', body);
  expect(refused).toMatchObject({ status: 502, body: { code: 'PROXY_REJECTED' } });
  expect(refused.body.detail).toContain('layer4');
  expect(refused.body.hint).toContain('github.com/mholt/caddy-l4');
});
