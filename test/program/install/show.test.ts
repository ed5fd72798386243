/** What `install` says of Caddy's ports. */
import { expect, test } from 'bun:test';
import { notesOfPorts } from '../../../src/program/install/show.ts';
import type { PortState } from '../../../src/shared/wire/proxy.ts';

const held = (unit: string | null): PortState => ({
  port: 80,
  state: 'held',
  holders: [{ pid: 812, name: 'nginx', unit }],
});
const free: PortState = { port: 443, state: 'free', holders: [] };

test.each(['nginx.service', null])('a port that %p holds is named, with what helps', (unit) => {
  const [what, helps] = notesOfPorts([held(unit), free]);
  expect(what).toStartWith(
    'Caddy cannot serve on ports 80 and 443 yet: 80 is held by nginx (pid 812',
  );
  expect(helps).toBe(
    `To fix it: sudo ${unit === null ? 'kill 812' : 'systemctl disable --now nginx'}`,
  );
});

test('a port that signalbox-agent.service holds is the one that the installation replaces', () => {
  expect(notesOfPorts([held('signalbox-agent.service'), free])).toEqual([
    "Caddy's ports will be 80 for HTTP and 443 for HTTPS.",
  ]);
});
