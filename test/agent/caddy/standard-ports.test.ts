/** Who listens on a port, and whether a process may. */
import { describe, expect, test } from 'bun:test';
import { isForbidden } from '../../../agent/caddy/ports/ports.ts';
import { holdersOf, unitIn } from '../../../agent/caddy/ports/sockets.ts';
import { startStack } from '../../harness/stack.ts';
import { asUser, isRoot, NOBODY } from '../../harness/unprivileged.ts';

describe('the unit of a process', () => {
  test.each([
    '0::/',
    '0::/init.scope',
    '0::/user.slice/user-1000.slice/session-3.scope',
    '0::/user.slice/user-1000.slice/user@1000.service/app.slice/caddy.service',
    '0::/system.slice/docker-0123abcd.scope',
    '0::/system.slice/a;reboot.service',
    '0::/../../caddy.service',
  ])('is none for %s', (cgroup) => expect(unitIn(`${cgroup}\n`)).toBeNull());

  test.each([
    ['0::/system.slice/caddy.service\n', 'caddy.service'],
    ['0::/system.slice/caddy.service/inner\n', 'caddy.service'],
    ['0::/system.slice/system-nginx.slice/nginx@a.service\n', 'nginx@a.service'],
    ['1:name=systemd:/system.slice/apache2.service\n2:cpu:/\n', 'apache2.service'],
  ])('in %j is %s', (cgroup, unit) => expect(unitIn(cgroup)).toBe(unit));
});

test('a program that listens is found by its socket', () => {
  const own = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const found = holdersOf(own.port, 'tcp');
  own.stop(true);
  expect(found.map(({ pid }) => pid)).toEqual([process.pid]);
  expect(found[0]?.name).not.toBe('');
  expect(found[0]).not.toHaveProperty('kept');
});

test('a Caddy that an agent keeps is told from others', async () => {
  const stack = await startStack();
  try {
    const proxyfile = `http://a.example:${stack.httpPort} {\n\trespond a\n}\n`;
    await stack.askAgent('/proxy/reload', { proxyfile });
    expect(holdersOf(stack.httpPort, 'tcp')).toMatchObject([{ name: 'caddy', kept: true }]);
  } finally {
    await stack.stop();
  }
});

describe('a port is forbidden', () => {
  test('to nobody that is not known, and if it is high to nobody at all', () => {
    expect(isForbidden(80, null)).toBe(false);
    expect(isForbidden(65_535, process.pid)).toBe(false);
  });

  test.skipIf(!isRoot)('to a process without the right, and not to root', async () => {
    expect(isForbidden(1, process.pid)).toBe(false);
    const child = Bun.spawn([...asUser(NOBODY), 'cat'], { stdin: 'pipe', stdout: 'pipe' });
    child.stdin.write('ready');
    child.stdin.flush();
    await child.stdout.getReader().read();
    const isClosed = isForbidden(1, child.pid);
    child.kill();
    await child.exited;
    expect(isClosed).toBe(true);
  });
});
