import { afterEach, describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import type { Dial } from '../../../../agent/sites/live-upstreams.ts';
import { createDialUpstream, type DialUpstream } from '../../../../agent/sites/upstreams/dial.ts';
import { createProber, type Prober } from '../../../../agent/sites/upstreams/prober.ts';
import { freePort, until } from '../../../harness/stack.ts';

const really = createDialUpstream({ resolve: async () => [] }, false);
const at = (host: string, port: number): Dial => ({ place: { host, port }, tls: null });

const probers: Prober[] = [];
afterEach(() => {
  for (const prober of probers.splice(0)) void prober.end();
});

/** A prober that dials like this, and is ended after the test. @param pause seconds between rounds */
function proberOf(dial: DialUpstream, pause: number, elapsed: () => number): Prober {
  const prober = createProber(dial, pause, () => new Date(), elapsed);
  probers.push(prober);
  return prober;
}

/** A prober that counts what it dials, and how many at once. */
function begin(pause: number, dial: DialUpstream = really) {
  const seen = { dialled: [] as Dial[], open: 0, most: 0 };
  const counted: DialUpstream = async (where, timeout) => {
    seen.dialled.push(where);
    seen.open++;
    seen.most = Math.max(seen.most, seen.open);
    return dial(where, timeout).finally(() => seen.open--);
  };
  const prober = proberOf(counted, pause, () => performance.now());
  return { prober, seen };
}

/** Listens on every loopback address; counts the connections to each. */
async function listen() {
  const counts = new Map<string, number>();
  const server = createServer((socket) => {
    const address = socket.localAddress ?? '';
    counts.set(address, (counts.get(address) ?? 0) + 1);
    socket.on('error', () => {});
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '0.0.0.0', resolve);
  await promise;
  const { port } = server.address() as { port: number };
  return { counts, port, stop: () => void server.close() };
}

const HOUR_MS = 3_600_000;
const SITES = 1_000;
const thousand = (port: number): Dial[] =>
  Array.from({ length: SITES }, (_, i) => at(`127.0.${1 + (i >> 8)}.${i & 255}`, port));

describe('never', () => {
  test('are more than twenty dialled at once, though a thousand are new and none answers', async () => {
    const answers: (() => void)[] = [];
    const { prober, seen } = begin(HOUR_MS, () => {
      const { promise, resolve } = Promise.withResolvers<{ up: true; latencyMs: number }>();
      answers.push(() => resolve({ up: true, latencyMs: 1 }));
      return promise;
    });
    prober.keep(thousand(80));
    await until(() => answers.length === 20, 'twenty dials');
    void prober.probe(thousand(80), true);
    prober.keep(thousand(80));
    while (seen.dialled.length < SITES || seen.open > 0) {
      expect(seen.open).toBeLessThanOrEqual(20);
      answers.shift()?.();
      await Promise.resolve();
    }
    expect([seen.most, seen.dialled.length]).toEqual([20, SITES]);
  });

  test('is an upstream dialled that is gone', async () => {
    const { prober, seen } = begin(50, async () => ({ up: true, latencyMs: 1 }));
    prober.keep([at('127.0.0.1', 1), at('127.0.0.1', 2)]);
    await until(() => seen.dialled.length >= 2, 'the first dials');
    prober.keep([at('127.0.0.1', 2)]);
    seen.dialled.length = 0;
    await until(() => seen.dialled.length >= 3, 'further dials');
    expect(new Set(seen.dialled)).toEqual(new Set([at('127.0.0.1', 2)]));
    expect(prober.last(at('127.0.0.1', 1))).toBeNull();
  });

  test('does one that has been dialled a moment ago cost another connection', async () => {
    const { prober, seen } = begin(HOUR_MS);
    const where = at('127.0.0.1', freePort());
    prober.keep([where]);
    await prober.probe([where], true);
    await prober.probe([where], true);
    await prober.probe([where], false);
    expect(seen.dialled.length).toBe(1);
  });
});

test('a thousand upstreams are dialled at once and then in turn, each address once a round', async () => {
  const server = await listen();
  const { prober, seen } = begin(HOUR_MS);
  const all = thousand(server.port);
  // As if each were used by three sites.
  prober.keep([...all, ...all, ...all]);
  await prober.probe(all, false);
  await until(() => server.counts.size === SITES, 'all connections');
  expect(new Set(server.counts.values())).toEqual(new Set([1]));
  expect(seen.most).toBeLessThanOrEqual(20);
  expect(all.map((one) => prober.last(one)?.up)).toEqual(all.map(() => true));
  server.stop();
});

test('the rounds after the first are spread over the time between them', async () => {
  let time = 0;
  const times: number[] = [];
  const dial: DialUpstream = async () => {
    times.push(time);
    return { up: true, latencyMs: 1 };
  };
  const prober = proberOf(dial, 60, () => time);
  prober.keep(thousand(80));
  await until(() => times.length === SITES, 'the first round');
  for (time = 1; time <= 60; time++) {
    const before = times.length;
    // A tick later, all that is due by now has been dialled.
    await until(() => times.length > before, 'the next ones');
  }
  const most = Math.max(
    ...[...Map.groupBy(times.slice(SITES), (at) => at).values()].map((at) => at.length),
  );
  expect(most).toBeLessThan(SITES / 5);
});

test('one that is down is dialled three times as often', async () => {
  let time = 0;
  const ports: number[] = [];
  const dial: DialUpstream = async ({ place }) => {
    const { port } = place as { port: number };
    ports.push(port);
    return port === 1 ? { up: false, reason: 'no' } : { up: true, latencyMs: 1 };
  };
  const prober = proberOf(dial, 60, () => time);
  prober.keep([at('127.0.0.1', 1), at('127.0.0.1', 2)]);
  await until(() => ports.length === 2, 'the first dials');
  // By now, the random part of the first round is over for both.
  time = 60;
  await until(() => ports.length === 4, 'the second dials');
  for (const count of [5, 6]) {
    time += 20;
    await until(() => ports.length === count, 'a further dial');
  }
  expect(ports.slice(4)).toEqual([1, 1]);
  time += 20;
  await until(() => ports.length === 8, 'the dials of both');
});

test('an upstream that comes and goes is up and down, and says since when', async () => {
  const { prober } = begin(60);
  const port = freePort();
  const where = at('127.0.0.1', port);
  prober.keep([where]);
  const down = await until(() => prober.last(where), 'the first result');
  expect(down).toMatchObject({ up: false, reason: 'connection refused' });
  const later = await until(() => {
    const last = prober.last(where);
    return last && last.at > down.at && last;
  }, 'the second result');
  expect(later.since).toBe(down.since);

  const server = Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response('ok') });
  const up = await until(() => {
    const last = prober.last(where);
    return last?.up && last;
  }, 'it to be up');
  expect(up.since).toBeGreaterThan(down.since);
  await server.stop(true);
  await until(() => prober.last(where)?.up === false, 'it to be down');
});
