/** The settings of an agent that are about containers. */
import { expect, test } from 'bun:test';
import { readContainers } from '../../../src/features/containers/settings.ts';
import { createReader } from '../../../src/program/settings-reader.ts';

const of = (env: Record<string, string>) =>
  readContainers(createReader(env, 'agent', '/data', () => ''));

test('there is no engine by default', () => {
  expect(of({})).toEqual({ engine: null, labels: 'safe', domains: [] });
});

test.each([
  ['/run/docker.sock', { unix: '/run/docker.sock' }],
  ['unix:///run/podman/../docker.sock', { unix: '/run/docker.sock' }],
  ['http://socket-proxy:2375/', { url: 'http://socket-proxy:2375' }],
  ['tcp://127.0.0.1:2375', { url: 'http://127.0.0.1:2375' }],
  ['http://[::1]:2375', { url: 'http://[::1]:2375' }],
] as const)('one is found at %s', (given, engine) => {
  const domains = { DOCKER_LABELS: 'all', DOCKER_DOMAINS: '*.Home.example,nas  a_b.lan' };
  expect(of({ DOCKER_SOCKET: given, ...domains })).toEqual({
    engine,
    labels: 'all',
    domains: ['*.home.example', 'nas', 'a_b.lan'],
  });
});
