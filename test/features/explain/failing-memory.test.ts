/** For how long an explanation counts, and what ends that. */
import { expect, test } from 'bun:test';
import { createFailingSites } from '../../../src/features/explain/failing.ts';
import type { Judgement } from '../../../src/features/explain/judge.ts';
import type { Cause } from '../../../src/features/explain/words.ts';
import { EMPTY_SET, type SiteSet, type Vhost } from '../../../src/hub/model/vhost.ts';
import { until } from '../../harness/stack.ts';
import { storedVhost } from '../../harness/vhost.ts';

const AGENT = 1;
const MINUTE = 60_000;
const agent = { id: AGENT, name: 'local', url: null, preamble: null, paused: false };

/** A site of a stand-in for a publisher, whose access log has these statuses at the next look. */
function startFailing() {
  const vhost = storedVhost({ domain: 'http://a.example' });
  let time = 0;
  let statuses: number[] = [];
  let looks = 0;
  let set = { ...EMPTY_SET, vhosts: [vhost], agents: [agent] } as unknown as SiteSet;
  const client = {
    async logs() {
      looks++;
      const timestamp = new Date(looks).toISOString();
      const logs = statuses.map((status) => ({ status, timestamp }));
      statuses = [];
      return JSON.stringify({ logs });
    },
  };
  const publisher = { current: () => set, agents: { all: () => [{ id: AGENT, client }] } };
  const failing = createFailingSites(
    { publisher: publisher as never, now: () => new Date(0), elapsed: () => time },
    1,
  );
  return {
    failing,
    vhost,
    explained: (cause: Cause | null, path = '/', isTotal = cause !== null) => {
      const judgement = { explanation: { cause, words: 'It fails.' }, isTotal } as Judgement;
      failing.note({ set, vhost, agent: AGENT, path, judgement });
    },
    cause: () => failing.of(vhost.id, AGENT)?.cause ?? null,
    later: (milliseconds: number) => {
      time += milliseconds;
    },
    store: (next: Partial<SiteSet>) => {
      set = { ...set, ...next };
    },
    visited: (...found: number[]) => {
      statuses = found;
    },
    /** Of what visitors got. */
    isRead: () => until(() => statuses.length === 0, 'a look at the log'),
  };
}

test('only what fails for everyone, at the page itself, counts', () => {
  const { explained, cause, failing, vhost } = startFailing();
  explained('UPSTREAM_REFUSED', '/', false);
  expect(cause()).toBeNull();
  explained('UPSTREAM_ERROR', '/other');
  expect(cause()).toBeNull();
  explained('UPSTREAM_ERROR');
  expect(cause()).toBe('UPSTREAM_ERROR');
  expect(failing.of(vhost.id, AGENT + 1)).toBeNull();
  explained(null);
  expect(cause()).toBeNull();
});

test('without a visitor it counts for ten minutes, and for one if only a connection failed', () => {
  const { explained, cause, later } = startFailing();
  explained('SPEAKS_TLS');
  later(10 * MINUTE);
  expect(cause()).toBe('SPEAKS_TLS');
  later(1);
  expect(cause()).toBeNull();
  explained('UPSTREAM_REFUSED');
  later(MINUTE);
  expect(cause()).toBe('UPSTREAM_REFUSED');
  later(1);
  expect(cause()).toBeNull();
});

test('as long as the problem of the site, which ends it', () => {
  const { explained, cause, later, failing, vhost } = startFailing();
  explained('UPSTREAM_REFUSED');
  failing.follow(new Set());
  expect(cause()).toBe('UPSTREAM_REFUSED');
  failing.follow(new Set([vhost.id]));
  later(MINUTE);
  failing.follow(new Set([vhost.id]));
  later(MINUTE);
  expect(cause()).toBe('UPSTREAM_REFUSED');
  failing.follow(new Set([vhost.id + 1]));
  expect(cause()).toBeNull();
});

test('a visitor who is served ends it, one who is refused renews it', async () => {
  const { explained, cause, later, failing, visited, isRead } = startFailing();
  failing.begin();
  explained('HOST_REFUSED');
  later(10 * MINUTE);
  visited(401, 404, 304);
  await isRead();
  later(1);
  expect(cause()).toBeNull();
  visited(404, 400);
  await until(() => cause() === 'HOST_REFUSED', 'a renewal');
  visited(400, 200, 404);
  await until(() => cause() === null, 'the end');
  await failing.end();
});

test.each<[string, (vhost: Vhost) => Partial<SiteSet>]>([
  ['a change of the site', (vhost) => ({ vhosts: [{ ...vhost, upstream: '127.0.0.1:1' }] })],
  ['its end', () => ({ vhosts: [] })],
  ['another preamble', () => ({ preamble: '{\n\tdebug\n}' })],
  [
    'a policy that applies everywhere',
    () => ({ policies: [{ id: 1, name: 'all', everywhere: true } as never] }),
  ],
])('%s ends it', (_, change) => {
  const { explained, cause, store, vhost } = startFailing();
  explained('SPEAKS_TLS');
  store(change(vhost));
  expect(cause()).toBeNull();
});
