import { describe, expect, test } from 'bun:test';
import { liveSites } from '../../../../agent/sites/live-sites.ts';
import { type LiveUpstream, upstreamsOf } from '../../../../agent/sites/live-upstreams.ts';
import type { Json } from '../../../../src/shared/json.ts';
import { startAdaptCaddy } from '../../../harness/adapt-caddy.ts';
import { caddyIs } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';

const caddy = await forFile(startAdaptCaddy());
/** The only site of this name, with this body. */
async function siteWith(body: string, options = '') {
  const adapted = await caddy.adapt(`${options}http://a.example {\n${body}\n}`);
  if (!adapted.ok) throw new Error(adapted.error);
  const [site] = liveSites(JSON.parse(adapted.text) as Json);
  if (!site) throw new Error('no site');
  return site;
}
const upstreamsIn = async (body: string): Promise<readonly LiveUpstream[]> =>
  (await siteWith(body)).upstreams;
const transport = (...lines: string[]) => ` {\n\ttransport http {\n${lines.join('\n')}\n\t}\n}`;

describe('an upstream is not dialled', () => {
  test.each([
    ['a placeholder', 'reverse_proxy {env.HOST}:80', '{env.HOST}:80', 'placeholder'],
    ['a name from the request', 'reverse_proxy {host}:80', '{http.request.host}:80', 'placeholder'],
    ['A records', 'reverse_proxy {\n\tdynamic a a.example 80\n}', 'a a.example 80', 'looks up'],
    [
      'SRV records',
      'reverse_proxy {\n\tdynamic srv _http._tcp.a.example\n}',
      'srv _http._tcp.a.example',
      'looks up',
    ],
    [
      'several lookups',
      'reverse_proxy {\n\tdynamic multi {\n\t\ta b.example 80\n\t}\n}',
      'multi',
      'looks up',
    ],
    ['HTTP/3', `reverse_proxy https://a${transport('versions 3')}`, 'a:443', 'UDP'],
    ['UDP', 'reverse_proxy udp/10.0.0.1:80', 'udp/10.0.0.1:80', 'UDP'],
    ['own resolvers', `reverse_proxy a${transport('resolvers 1.1.1.1')}`, 'a:80', 'resolvers'],
  ])('if it has %s', async (_, body, address, why) => {
    expect(await upstreamsIn(body)).toEqual([
      { address, checked: false, dial: null, unknown: expect.stringContaining(why) },
    ]);
  });

  test.if(caddyIs('>=2.10.0'))('if it is behind another proxy', async () => {
    const body = `reverse_proxy a${transport('network_proxy url http://p:1')}`;
    expect(await upstreamsIn(body)).toMatchObject([{ dial: null }]);
  });

  test.each<[string, Json]>([
    ['no port', { dial: 'a' }],
    ['port 0', { dial: 'a:0' }],
    ['too high a port', { dial: 'a:65536' }],
    ['a range', { dial: 'a:1-2' }],
    ['another network', { dial: 'fd/3' }],
  ])('if it has %s', (_, upstream) => {
    const { upstreams } = upstreamsOf({ handler: 'reverse_proxy', upstreams: [upstream] });
    expect(upstreams).toMatchObject([{ dial: null, unknown: expect.any(String) }]);
  });
});

describe('an upstream is dialled', () => {
  test.each([
    ['127.0.0.1:80', { host: '127.0.0.1', port: 80 }],
    ['tcp4/10.0.0.1:80', { host: '10.0.0.1', port: 80 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    [':9000', { host: 'localhost', port: 9000 }],
    ['name', { host: 'name', port: 80 }],
    ['h2c://name:81', { host: 'name', port: 81 }],
    ['unix//run/a.sock', { path: '/run/a.sock' }],
    ['unix/@abstract', { path: '@abstract' }],
  ])('%s without TLS', async (address, place) => {
    expect(await upstreamsIn(`reverse_proxy ${address}`)).toMatchObject([
      { dial: { place, tls: null }, unknown: null },
    ]);
  });

  test.each([
    ['https://name', 'name'],
    ['https://10.0.0.1', ''],
    [`https://10.0.0.1${transport('tls_server_name b.example')}`, 'b.example'],
    [`https://name${transport('tls_server_name {host}')}`, null],
    [`https://name${transport('tls_client_auth a b')}`, null],
  ])('%s with its server name, or only connected to', async (text, tls) => {
    expect(await upstreamsIn(`reverse_proxy ${text}`)).toMatchObject([{ dial: { tls } }]);
  });
});

describe('a success', () => {
  test.each([
    ['respond /x hi\nreverse_proxy a', ''],
    ['file_server /x\nreverse_proxy a', ''],
    ['reverse_proxy a\nhandle_errors {\n\trespond sorry 200\n}', ''],
    ['forward_auth b {\n\turi /x\n}\nreverse_proxy a', ''],
  ])('may come from something else in %j', async (body, options) => {
    expect((await siteWith(body, options)).alone).toBe(false);
  });

  test.each([
    'reverse_proxy a',
    'encode gzip\nheader X y\nrewrite /x /y\nhandle {\n\treverse_proxy a b\n}',
  ])('can only come from an upstream in %j', async (body) => {
    expect((await siteWith(body)).alone).toBe(true);
  });
});
