// proof: podman
/** `signalbox containers` with a running hub, and an engine that stands in for Docker. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { forFile, serverForFile } from '../../../harness/for-file.ts';
import { createOperator, refusal } from '../../../harness/operator.ts';
import { until } from '../../../harness/stack.ts';
import { idOf, inspected, listed } from '../agent/docker.ts';
import { stuckEngine } from '../engine.ts';

const upstream = serverForFile(() => new Response('app'));
const labels: Record<string, Record<string, string>> = {
  caddy: { caddy: 'http://caddy.example', 'caddy.reverse_proxy': '{{upstreams 80}}' },
  ours: { 'signalbox.domain': 'http://ours.example' },
  traefik: { 'traefik.enable': 'true', 'traefik.http.routers.a.rule': 'Host(`traefik.example`)' },
  wrong: { 'signalbox.domain': 'wrong\u001b[2J example' },
};
const ports: Record<string, [string, string][]> = {
  '80/tcp': [['127.0.0.1', String(upstream.port)]],
};
const engine = stuckEngine((path) => {
  if (path.startsWith('/events')) return new Response(new ReadableStream());
  if (path.startsWith('/containers/json')) return Response.json(listed(...Object.keys(labels)));
  const name = Object.keys(labels).find((one) => path.includes(idOf(one))) ?? '';
  return Response.json(inspected(name, { labels: labels[name], ports }));
});
const operator = await forFile(createOperator({ DOCKER_SOCKET: engine.socket }));

beforeAll(() => operator.start());
afterAll(() => engine.end());

test('refuses an unknown agent, a hub that is none, and surplus words', async () => {
  expect(await operator.run(['containers', '--print', '--agent', 'nobody'])).toEqual(
    refusal('There is no agent "nobody". (NOT_FOUND)'),
  );
  const nowhere = await operator.run(['containers', '--hub', 'nonsense']);
  expect([nowhere.code, nowhere.out]).toEqual([1, '']);
  expect((await operator.run(['containers', 'x'])).code).toBe(2);
});

test('lists containers with their sites, or why they are none', async () => {
  const { out } = await until(async () => {
    const listing = await operator.run(['containers', '--agent', 'local']);
    return listing.out.includes('\thttp://ours.example\n') && listing;
  }, 'the site of a container');
  expect(out.split('\n')).toEqual([
    'local\tcaddy\trunning\t-\tIt has no label signalbox.domain.',
    'local\tours\trunning\thttp://ours.example',
    'local\ttraefik\trunning\t-\tIt has no label signalbox.domain.',
    'local\twrong\trunning\t-\t"wrong [2J example" is not a domain.',
    '',
  ]);
});

test('prints what apply accepts, and Caddy then serves', async () => {
  const { code, out, err } = await operator.run(['containers', '--print']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^[\n\x20-\x7e]+$/);
  // Caddy has no certificates here.
  const input = out.replace('  traefik.example:', '  http://traefik.example:');
  const applied = await operator.run(['apply', '-f', '-'], { input });
  expect(applied).toEqual({
    code: 0,
    err: expect.stringMatching(/^2 changes, published; to undo: /),
    out: 'create site http://caddy.example\ncreate site http://traefik.example\n',
  });
  for (const name of ['caddy', 'traefik', 'ours']) {
    expect(await operator.served(`${name}.example`)).toBe('app');
  }
  expect((await operator.run(['apply', '-f', '-'], { input })).out).toBe('nothing to do\n');
});
