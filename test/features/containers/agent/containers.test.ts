// proof: podman
/** The list of containers of an engine that hangs, lies, floods or goes away, and whoever waits for it. */

import { afterEach, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { getSchemaValidator } from 'elysia';
import {
  type AgentContainers,
  type ContainerSettings,
  createContainers,
} from '../../../../agent/features/containers/containers.ts';
import type { EngineAddress } from '../../../../agent/features/containers/engine.ts';
import { PACE } from '../../../../agent/features/containers/pace.ts';
import { Containers } from '../../../../src/features/containers/wire.ts';
import { shareOf } from '../../../../src/shared/paced.ts';
import { SHARE } from '../../../harness/pace.ts';
import { flood, startRaw, trickle } from '../../../harness/raw-server.ts';
import { limit } from '../../../harness/speed.ts';
import { temporaryFolder, until } from '../../../harness/stack.ts';
import { stuckEngine } from '../engine.ts';
import { idOf, inspected, listed } from './docker.ts';

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

const NEVER = new AbortController().signal;

/** @param settings besides @param deadline of the engine, in milliseconds */
function watch(
  engine: EngineAddress | null,
  settings: Partial<ContainerSettings> = {},
  deadline = limit(10_000),
) {
  const lines: string[] = [];
  const containers = createContainers({
    settings: { engine, labels: 'safe', domains: [], ...settings },
    place: () => ({ hostname: 'box', interfaces: [] }),
    pace: shareOf(SHARE, PACE),
    log: (...line) => void lines.push(JSON.stringify(line)),
    deadline,
  });
  ending.push(containers.close);
  containers.begin();
  return { ...containers, lines };
}

async function ask({ answer }: Pick<AgentContainers, 'answer'>, after?: string, signal = NEVER) {
  const said = JSON.parse(await answer(after, signal)) as Containers;
  expect([...getSchemaValidator(Containers).Errors(said)]).toEqual([]);
  return said;
}

/** What follows an answer. */
async function next(containers: Pick<AgentContainers, 'answer'>, { tag }: Containers) {
  const said = await ask(containers, tag);
  expect(said.tag).not.toBe(tag);
  return said;
}

/** Serves these containers, and what else is given by its path. */
function serve(names: () => string[], more: Record<string, () => Response> = {}) {
  const engine = stuckEngine((path) => {
    const other = more[path];
    if (other) return other();
    if (path.startsWith('/events')) return new Response(new ReadableStream());
    if (path.startsWith('/containers/json')) return Response.json(listed(...names()));
    const name = names().find((one) => path === `/containers/${idOf(one)}/json`);
    return name
      ? Response.json(inspected(name))
      : Response.json({ message: 'no' }, { status: 404 });
  });
  ending.push(engine.end);
  return engine;
}

const LIST = '/containers/json?all=1';
const html = () =>
  new Response('<html>Sign in</html>', { headers: { 'Content-Type': 'text/html' } });
const many = Array.from({ length: 1_001 }, (_, at) => `c${at}`);
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('is not known, and says why, of an engine that', () => {
  const isDown = async (engine: EngineAddress, why: string, deadline?: number) => {
    const { engine: state, containers, detail } = await ask(watch(engine, {}, deadline));
    expect([state, containers]).toEqual(['down', null]);
    expect(detail).toContain(why);
    expect(detail).not.toContain('/tmp');
  };

  test.each([
    ['sends HTML', html, 'not its JSON'],
    ['sends half of its JSON', () => new Response('[{"Id": "abc'), 'not its JSON'],
    ['sends nothing', () => new Response(''), 'not its JSON'],
    ['sends no UTF-8', () => new Response(new Uint8Array([0x22, 0xff, 0x22])), 'not its JSON'],
    ['nests', () => new Response('['.repeat(2 ** 20)), 'not its JSON'],
    ['packs', () => packed('[]'), 'not its JSON'],
    ['is another service', () => Response.json({ status: 'ok' }), 'a list of containers'],
    ['knows no containers', () => new Response('', { status: 404 }), 'a list of containers'],
    ['lists too many', () => Response.json(listed(...many)), 'more than 1000 containers'],
    ['lists paths', () => Response.json([{ Id: '../../etc' }]), 'as Docker and Podman do'],
    [
      'forbids it',
      () => new Response('', { status: 403 }),
      '403 to GET /containers: let the socket',
    ],
    ['fails', () => new Response('', { status: 500 }), 'answers 500'],
    ['is elsewhere', () => Response.redirect('http://169.254.169.254/'), 'as it should'],
    ['sends 100 MB', () => new Response(new Uint8Array(100 * 2 ** 20)), 'more than 32 MiB'],
  ])('%s', async (_, answer, why) => {
    await isDown({ unix: serve(() => [], { [LIST]: answer }).socket }, why);
  });

  test.each([
    ['says something else', inspected('other'), 'as Docker and Podman do'],
    [
      'lies',
      { ...inspected('web'), Config: { Image: 'x', Labels: ['a'] } },
      'as Docker and Podman',
    ],
  ])('%s of a container', async (_, said, why) => {
    const path = `/containers/${idOf('web')}/json`;
    const engine = serve(() => ['web'], { [path]: () => Response.json(said) });
    await isDown({ unix: engine.socket }, why);
  });

  test('says more than 8 MiB in all', async () => {
    const names = many.slice(0, 200);
    const labels = { x: 'x'.repeat(60_000) };
    const more = Object.fromEntries(
      names.map((name) => [
        `/containers/${idOf(name)}/json`,
        () => Response.json(inspected(name, { labels })),
      ]),
    );
    await isDown({ unix: serve(() => names, more).socket }, 'more than 8 MiB');
  });

  const treats: [string, (socket: Socket) => void, string][] = [
    ['hangs', () => {}, 'not answer in time'],
    [
      'hangs in the middle',
      (socket) => socket.write(`${chunked}2\r\n[{\r\n`),
      'not answer in time',
    ],
    ['never ends', (socket) => trickle(socket, chunked, '1\r\n \r\n'), 'not answer in time'],
    ['hangs up', (socket) => socket.destroy(), 'as it should'],
    ['is no web server', (socket) => socket.write('SSH-2.0-OpenSSH\r\n'), 'as it should'],
    ['floods headers', (socket) => flood(socket, 'HTTP/1.1 200 OK\r\nX: '), 'as it should'],
  ];
  test.each(treats)('%s', async (_, treat, why) => {
    const raw = await startRaw(treat);
    ending.push(raw.stop);
    const deadline = why.endsWith('in time') ? 500 : undefined;
    await isDown({ url: `http://127.0.0.1:${raw.port}` }, why, deadline);
    // It does not stay connected to it.
    await until(() => raw.closed() > 0, 'the end of a connection');
  });

  test('floods, and is not read on until the deadline', async () => {
    const list = Promise.withResolvers<void>();
    const raw = await startRaw((socket) =>
      socket.once('data', (request) => {
        if (request.includes(LIST)) socket.once('close', () => list.resolve());
        flood(socket, `${chunked}fffffffff\r\n`);
      }),
    );
    ending.push(raw.stop);
    const { detail } = await ask(watch({ url: `http://127.0.0.1:${raw.port}` }, {}, 3_600_000));
    expect(detail).toContain('more than 32 MiB');
    await list.promise;
  });

  test('is not there', async () => {
    const folder = temporaryFolder();
    await isDown({ unix: join(folder, 'none.sock') }, 'no socket where DOCKER_SOCKET');
    writeFileSync(join(folder, 'file'), '');
    await isDown({ unix: join(folder, 'file') }, 'Nothing listens where DOCKER_SOCKET');
    await isDown({ url: 'http://127.0.0.1:1' }, 'Nothing listens where DOCKER_SOCKET');
  });
});

const packed = (text: string) =>
  new Response(Bun.gzipSync(text), { headers: { 'Content-Encoding': 'gzip' } });

describe('an engine', () => {
  test('that is not asked for is off, and nobody is', async () => {
    const containers = watch(null, { domains: ['*.home.example'], labels: 'all' });
    const said = await ask(containers);
    expect(said).toEqual({
      engine: 'off',
      detail: null,
      containers: null,
      tag: said.tag,
      labels: 'all',
      domains: ['*.home.example'],
    });
  });

  test('is only ever asked to list', async () => {
    const engine = serve(() => ['web', 'db']);
    expect((await ask(watch({ unix: engine.socket }))).containers).toHaveLength(2);
    const known = /^GET \/(events|containers\/json\?all=1|containers\/[0-9a-f]{64}\/json)$/;
    expect(engine.asked.filter((one) => !known.test(one))).toEqual([]);
    expect(engine.asked).toContain('GET /events');
  });

  test('that forbids events is asked for the list again and again, and for no container twice', async () => {
    const names = ['web'];
    const engine = serve(() => names, { '/events': () => new Response('', { status: 403 }) });
    const containers = watch({ unix: engine.socket });
    const before = await ask(containers);
    names.push('db');
    const after = await next(containers, before);
    expect(after.containers?.map(({ name }) => name).toSorted()).toEqual(['db', 'web']);
    const inspections = engine.asked.filter((one) => one.includes(idOf('web')));
    expect(inspections).toHaveLength(1);
  });

  test('that floods its events is still asked for the list', async () => {
    const names = ['web'];
    const line = `${JSON.stringify({ Action: 'exec_start: true' })}\n`.repeat(20_000);
    const endless = () =>
      new Response(
        new ReadableStream({ pull: (stream) => stream.enqueue(new TextEncoder().encode(line)) }),
      );
    const engine = serve(() => names, { '/events': endless });
    const containers = watch({ unix: engine.socket });
    const before = await ask(containers);
    // It hangs up, and begins anew.
    await until(
      () => engine.asked.filter((one) => one === 'GET /events').length > 1,
      'a new stream',
    );
    names.push('db');
    expect((await next(containers, before)).containers).toHaveLength(2);
  });

  test('of which a container has gone in between is listed without it', async () => {
    const path = `/containers/${idOf('web')}/json`;
    const engine = serve(() => ['web', 'db'], { [path]: () => new Response('', { status: 404 }) });
    const { containers } = await ask(watch({ unix: engine.socket }));
    expect(containers?.map(({ name }) => name)).toEqual(['db']);
  });

  test('that fails once keeps its list, goes down if it stays away, and comes back', async () => {
    let failures = 1;
    const list = () => {
      if (failures-- > 0) return new Response('', { status: 500 });
      return Response.json(listed('web'));
    };
    const engine = serve(() => ['web'], { [LIST]: list, '/events': html });
    failures = 0;
    const containers = watch({ unix: engine.socket });
    const before = await ask(containers);
    expect(before.engine).toBe('up');
    const asked = engine.asked.length;
    failures = 1;
    await until(() => engine.asked.slice(asked).filter((one) => one.endsWith(LIST)).length > 2);
    expect((await ask(containers)).tag).toBe(before.tag);
    failures = 5;
    const down = await next(containers, before);
    expect([down.engine, down.containers]).toEqual(['down', null]);
    const back = await next(containers, down);
    expect([back.engine, back.tag]).toEqual(['up', before.tag]);
    const said = containers.lines.filter((line) => line.includes('container engine'));
    expect(said.map((line) => /"(up|down)"/.exec(line)?.[1])).toEqual(['up', 'down', 'up']);
  });
});

describe('whoever waits', () => {
  test('gets the same list if they go away, or if all stops', async () => {
    const containers = watch({ unix: serve(() => ['web']).socket });
    const { tag } = await ask(containers);
    const leaving = new AbortController();
    const [left, stayed] = [ask(containers, tag, leaving.signal), ask(containers, tag)];
    // By then both wait.
    await ask(containers);
    leaving.abort();
    expect((await left).tag).toBe(tag);
    containers.close();
    expect((await stayed).tag).toBe(tag);
    expect((await ask(containers, tag)).tag).toBe(tag);
  });

  test('gets it at once if they have another one, or none', async () => {
    const containers = watch({ unix: serve(() => ['web']).socket });
    const { tag } = await ask(containers);
    expect((await ask(containers, 'another')).tag).toBe(tag);
    // A start may be shown more exactly than an engine says it.
    expect((await ask(watch({ unix: serve(() => ['web']).socket }))).tag).toBe(tag);
  });

  test('is not kept by an engine that hangs', async () => {
    let open = 0;
    const raw = await startRaw(() => void open++);
    ending.push(raw.stop);
    const containers = watch({ url: `http://127.0.0.1:${raw.port}` });
    const waiting = ask(containers);
    await until(() => open === 2, 'the questions for the list and for events');
    containers.close();
    expect((await waiting).engine).toBe('down');
    await until(() => raw.closed() === 2, 'the end of both');
  });
});
