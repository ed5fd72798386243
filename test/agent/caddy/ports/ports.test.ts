import { describe, expect, test } from 'bun:test';
import { listenersOf, obstacleTo, obstructed } from '../../../../agent/caddy/ports/ports.ts';

const config = (servers: object, http: object = {}) =>
  JSON.parse(JSON.stringify({ apps: { http: { ...http, servers } } }));
const listeners = (next: object) =>
  listenersOf(config(next)).map(({ host, port }) => `${host}:${port}`);

describe('the listeners of a configuration', () => {
  test('are those of all servers, each once', () => {
    const a = { listen: [':80', '127.0.0.1:81', 'tcp/[::1]:82', ':90-92'] };
    const all = [':80', '127.0.0.1:81', '::1:82', ':90', ':91', ':92'];
    expect(listeners({ a, b: { listen: [':80'] } })).toEqual(all);
  });

  test('exclude UDP, sockets and nonsense', () => {
    const listen = ['udp/:80', 'unix//run/x.sock', 'unix//run/x:80', '', 7];
    expect(listeners({ a: { listen } })).toEqual([]);
    expect(listeners({ a: {}, b: { listen: 'x' } })).toEqual([]);
    expect(listenersOf(null)).toEqual([]);
  });

  test('include the HTTP port if it redirects to HTTPS', () => {
    const routes = [{ match: [{ host: ['a.example'] }] }];
    const secure = { listen: [':8443'], routes };
    const ports = { http_port: 8080, https_port: 8443 };
    const portsOf = (server: object) =>
      listenersOf(config({ a: server }, ports)).map(({ host, port }) => host + port);
    expect(portsOf(secure)).toEqual(['8443', '8080']);
    expect(portsOf({ ...secure, listen: [':9443'] })).toEqual(['9443', '8080']);
    expect(portsOf({ ...secure, listen: ['::1:9443'] })).toEqual(['::19443', '::18080']);
    expect(portsOf({ ...secure, routes: [] })).toEqual(['8443']);
    expect(portsOf({ ...secure, listen: [':8080'] })).toEqual(['8080']);
    for (const off of [{ disable: true }, { disable_redirects: true }, { skip: ['a.example'] }]) {
      expect(portsOf({ ...secure, automatic_https: off })).toEqual(['8443']);
    }
  });
});

describe('a port is in use', () => {
  test.each(['0.0.0.0', '127.0.0.1'])('if another program listens on %s', (hostname) => {
    const other = Bun.listen({ hostname, port: 0, socket: { data() {} } });
    const { port } = other;
    expect(obstacleTo({ host: '127.0.0.1', port })).toBe('in use');
    if (hostname === '0.0.0.0') expect(obstacleTo({ host: '', port })).toBe('in use');
    const next = config({ a: { listen: [`:${port}`] } });
    const before = JSON.stringify(config({ a: { listen: [`127.0.0.1:${port}`] } }));
    expect(obstructed(next, 'not JSON')).toEqual([{ host: '', port }]);
    expect(obstructed(next, before)).toEqual([]);
    other.stop(true);
    expect(obstacleTo({ host: '', port })).toBeNull();
  });

  test('but not if no interface has the address, even if the port is open elsewhere', () => {
    const missing = { host: '203.0.113.1', port: 80 };
    expect(obstacleTo(missing)).toBe('no address');
    const next = config({ a: { listen: ['203.0.113.1:80'] } });
    expect(obstructed(next, JSON.stringify(config({ a: { listen: [':80'] } })))).toEqual([missing]);
    expect(obstructed(next, JSON.stringify(next))).toEqual([]);
  });

  test('or if Caddy may not open it', () => {
    const next = config({ a: { listen: ['127.0.0.1:80', ':8080'] } });
    const low = (port: number) => port < 1024;
    expect(obstructed(next, 'null', low)).toContainEqual({ host: '127.0.0.1', port: 80 });
    expect(obstructed(next, JSON.stringify(next), low)).toEqual([]);
  });

  test('and a name that nobody knows is left to Caddy', () => {
    expect(obstacleTo({ host: 'no-such-host.invalid', port: 80 })).toBe('unknown');
    expect(obstructed(config({ a: { listen: ['no-such-host.invalid:80'] } }), 'null')).toEqual([]);
  });
});
