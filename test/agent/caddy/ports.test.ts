import { describe, expect, test } from 'bun:test';
import { addedListeners, findTaken } from '../../../agent/caddy/ports.ts';

const config = (servers: object, http: object = {}) =>
  JSON.parse(JSON.stringify({ apps: { http: { ...http, servers } } }));
const none = 'null\n';
const added = (next: object, before = none) =>
  addedListeners(config(next), before).map(({ host, port }) => `${host}:${port}`);

describe('the listeners that a configuration adds', () => {
  test('are all of them if there were none', () => {
    expect(added({ a: { listen: [':80', '127.0.0.1:81', 'tcp/[::1]:82', ':90-92'] } })).toEqual([
      ':80',
      '127.0.0.1:81',
      '::1:82',
      ':90',
      ':91',
      ':92',
    ]);
  });

  test('exclude those whose port was already open, on whatever address', () => {
    const before = JSON.stringify(config({ a: { listen: ['127.0.0.1:80'] } }));
    expect(added({ a: { listen: [':80', ':81'] } }, before)).toEqual([':81']);
  });

  test('exclude UDP, sockets and nonsense', () => {
    const listen = ['udp/:80', 'unix//run/x.sock', 'unix//run/x:80', '', 7];
    expect(added({ a: { listen } })).toEqual([]);
    expect(added({ a: {}, b: { listen: 'x' } })).toEqual([]);
    expect(addedListeners(null, 'not JSON')).toEqual([]);
  });

  test('include the HTTP port if it redirects to HTTPS', () => {
    const routes = [{ match: [{ host: ['a.example'] }] }];
    const secure = { listen: [':8443'], routes };
    const ports = { http_port: 8080, https_port: 8443 };
    const listeners = (server: object) =>
      addedListeners(config({ a: server }, ports), none).map(({ port }) => port);
    expect(listeners(secure)).toEqual([8443, 8080]);
    expect(listeners({ ...secure, listen: [':9443'] })).toEqual([9443, 8080]);
    expect(listeners({ ...secure, routes: [] })).toEqual([8443]);
    expect(listeners({ ...secure, listen: [':8080'] })).toEqual([8080]);
    for (const off of [{ disable: true }, { disable_redirects: true }, { skip: ['a.example'] }]) {
      expect(listeners({ ...secure, automatic_https: off })).toEqual([8443]);
    }
  });
});

describe('a port is in use', () => {
  test.each(['0.0.0.0', '127.0.0.1'])('if another program listens on %s', (hostname) => {
    const other = Bun.listen({ hostname, port: 0, socket: { data() {} } });
    const { port } = other;
    expect(findTaken([{ host: '127.0.0.1', port }])).toEqual({ host: '127.0.0.1', port });
    if (hostname === '0.0.0.0') expect(findTaken([{ host: '', port }])?.port).toBe(port);
    other.stop(true);
    expect(findTaken([{ host: '', port }])).toBeNull();
  });

  test('but not if we merely cannot bind it', () => {
    expect(findTaken([{ host: '203.0.113.1', port: 80 }])).toBeNull();
    expect(findTaken([{ host: 'no-such-host.invalid', port: 80 }])).toBeNull();
  });
});
