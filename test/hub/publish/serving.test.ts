/** The words for where Caddy listens. */
import { describe, expect, test } from 'bun:test';
import { cureOf, linesOf, obstacleOf, servingOf } from '../../../src/hub/publish/serving.ts';
import type { Holder, PortState } from '../../../src/shared/wire/proxy.ts';

const caddy: Holder = { pid: 812, name: 'caddy', unit: 'caddy.service' };
const nginx: Holder = { pid: 9, name: 'nginx', unit: 'nginx.service' };
const shell: Holder = { pid: 77, name: 'python3', unit: null };
const docker: Holder = { pid: 5, name: 'docker-proxy', unit: 'docker.service' };

const held = (port: number, ...holders: Holder[]): PortState => ({ port, state: 'held', holders });
const of = (state: PortState['state'], port = 80): PortState => ({ port, state, holders: [] });
const MOVED = '{\n\thttp_port 8080\n\thttps_port 8443\n}';
const NONE: PortState[] = [];
const serving = (
  preamble: string,
  ports = NONE,
  closed: Parameters<typeof servingOf>[0]['closed'] = [],
) => servingOf({ preamble, ports, closed });

describe('the cure never', () => {
  test('stops all containers for one of them', () => {
    expect(cureOf([held(80, docker), held(443, docker)])).toStartWith('docker ps ');
  });

  test('ends the Caddy of another agent', () => {
    const other: Holder = { pid: 31, name: 'caddy', unit: null, kept: true };
    expect(cureOf([held(80, other)])).toBeNull();
    expect(obstacleOf(held(80, other))).toBe(
      '80 is held by caddy (pid 31), which another agent keeps',
    );
    expect(serving(MOVED, [held(80, other), held(443, other)])?.cure).toBeNull();
  });

  test('names a program that was not seen', () => {
    expect(cureOf([held(80), held(443)])).toBe("sudo ss -ltnp 'sport = :80 or sport = :443'");
  });

  test('is to move while something is in the way', () => {
    expect(serving(MOVED, [held(80, caddy), of('free', 443)])?.cure).not.toContain('signalbox');
    expect(serving(MOVED, [of('forbidden'), of('free', 443)])?.cure).toContain('sysctl');
  });

  test('is anything if all is well', () => {
    expect(cureOf([of('free'), of('own', 443)])).toBeNull();
    expect(serving('')?.cure).toBeNull();
  });
});

test.each([
  [[held(80, caddy), held(443, caddy)], 'sudo systemctl disable --now caddy'],
  [[held(80, caddy), held(443, nginx)], 'sudo systemctl disable --now caddy nginx'],
  [[held(80, shell), held(443, shell)], 'sudo kill 77'],
])('the cure is one command: %j', (ports, cure) => expect(cureOf(ports)).toBe(cure));

test.each([
  [of('free'), null],
  [of('own'), null],
  [held(80, caddy), '80 is held by caddy (pid 812, caddy.service)'],
  [held(80, shell, nginx), '80 is held by python3 (pid 77) and nginx (pid 9, nginx.service)'],
  [held(80), '80 is held by another program'],
  [of('forbidden'), '80 is forbidden: the user that Caddy runs as may not open ports below 1024'],
])('%j is an obstacle: %p', (state, words) => expect(obstacleOf(state)).toBe(words));

describe('where Caddy listens', () => {
  test('is not known if its environment decides', () => {
    expect(serving('{\n\thttp_port {$HTTP_PORT}\n}')).toBeNull();
  });

  test('is said with the reason for each port', () => {
    expect(serving(MOVED, [held(80, caddy), of('free', 443)])).toEqual({
      http: {
        port: 8080,
        wanted: 80,
        reason: '80 is held by caddy (pid 812, caddy.service)',
        blocked: true,
      },
      https: {
        port: 8443,
        wanted: 443,
        reason: '443 is free, but the global option https_port is 8443',
        blocked: false,
      },
      cure: 'sudo systemctl disable --now caddy',
    });
  });

  test('includes that a standard port is not open', () => {
    const closed = [{ address: ':80', port: 80, reason: 'held by nginx (process 9)' }];
    expect(serving('', [held(80, nginx), of('own', 443)], closed)).toMatchObject({
      http: { port: 80, reason: '80 is held by nginx (pid 9, nginx.service)' },
      https: { port: 443, reason: null },
      cure: 'sudo systemctl disable --now nginx',
    });
    // An agent that could not be asked does not say who has it.
    expect(serving('', [], closed)).toMatchObject({
      http: { reason: '80 is not open: held by nginx (process 9)' },
      cure: null,
    });
    const udp = [{ address: 'udp/:443', port: 443, reason: 'held by x' }];
    expect(serving('', [], udp)).toMatchObject({ https: { reason: null } });
  });

  test('is one line if all is well, and else says what follows and what helps', () => {
    const lines = (preamble: string, ports: PortState[] = []) => {
      const found = serving(preamble, ports);
      return found === null ? [] : linesOf(found);
    };
    expect(lines('')).toEqual(["Caddy's ports are 80 for HTTP and 443 for HTTPS."]);
    const [where, why, , follows, helps] = lines(MOVED, [of('free'), of('free', 443)]);
    expect(where).toEndWith('8080 for HTTP and 8443 for HTTPS.');
    expect(why).toBe('  80 is free, but the global option http_port is 8080.');
    expect(follows).toContain('certificates');
    expect(helps).toBe('To move: signalbox ports --standard');
  });
});
