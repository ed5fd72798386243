/** What a replay prints, and its end by a signal, with a hub that a function stands in for. */
import { describe, expect, test } from 'bun:test';
import {
  createReplaying,
  printReplay,
  type Replay,
} from '../../../../src/features/replay/cli/replaying.ts';
import type { AskHub } from '../../../../src/program/cli/api/local-hub.ts';
import { createPaint } from '../../../../src/program/paint.ts';

const paint = createPaint(false, {});
const reply = { status: 200, to: null, location: null };
const group: Replay['groups'][number] = {
  domain: 'a.example',
  requests: 2,
  count: 4,
  visitors: 1,
  before: reply,
  after: { ...reply, status: 403 },
  examples: [{ method: 'GET', path: '/x', ip: '192.0.2.1', timestamp: '' }],
};
const found: Replay = {
  state: 'done',
  done: 10,
  of: 10,
  same: 8,
  differ: 2,
  groups: [group],
  leftOut: [],
};

function printed(replay: Partial<Replay>): { text: string; refusal: unknown } {
  let text = '';
  let refusal: unknown = null;
  try {
    printReplay({ ...found, ...replay }, { days: 7, write: (more) => (text += more), paint });
  } catch (error) {
    refusal = (error as { refusal: unknown }).refusal;
  }
  return { text, refusal };
}

describe('prints', () => {
  const headline = '10 requests of the last 7 days: 8 answer the same, 2 would not\n';

  test('nothing that controls a terminal, and not all of what is long', () => {
    const path = `/\x1b[2J${'y'.repeat(9000)}`;
    const examples = [{ method: 'GET', path, ip: '192.0.2.1', timestamp: '' }];
    const after = { ...reply, status: 302, location: 'https://\u202eb.example/' };
    const leftOut = [{ reason: 'a \x07 b', count: 1 }];
    const { text } = printed({ groups: [{ ...group, after, examples }], leftOut });
    expect(text).not.toMatch(/[^\n\x20-\x7e…×]/);
    expect(text).toContain('are redirected to https://\\u202eb.example/ instead of getting 200');
    expect(text).toContain('\\u001b[2Jyyy');
    expect(text.length).toBeLessThan(1000);
  });

  test('three examples of a group, twenty groups, their agents, and what was left out', () => {
    const examples = Array(5).fill(group.examples[0]);
    const { text } = printed({
      groups: Array(22).fill({ ...group, agent: 'vps', examples }),
      leftOut: [
        { reason: 'websockets', count: 1200 },
        { reason: 'vps: offline', count: 0 },
      ],
    });
    const each = `a.example at vps: 2 requests (4 times, 1 visitor) get 403 instead of 200\n${'  192.0.2.1 GET /x\n'.repeat(3)}`;
    expect(text).toBe(
      `${headline}\n${each.repeat(20)}\n… and 2 more: signalbox replay --json\n\nLeft out:\n  1,200 × websockets\n  vps: offline\n`,
    );
  });

  test('what was found before it failed, and why it failed', () => {
    const failure = { state: 'failed', detail: 'The sites were changed.' } as const;
    expect(printed(failure)).toEqual({
      text: expect.stringContaining(headline),
      refusal: { message: 'the replay failed', detail: failure.detail },
    });
    expect(printed({ ...failure, same: 0, differ: 0 }).text).toBe('');
  });
});

describe('a signal', () => {
  /** A hub in which a replay never ends; `start` answers what starts it. */
  function world() {
    const asked: string[] = [];
    const bars: string[] = [];
    const start = Promise.withResolvers<{ replay: string }>();
    const signal = Promise.withResolvers<string>();
    const polled = Promise.withResolvers<void>();
    const ask: AskHub = async ({ method = 'GET', path }) => {
      asked.push(`${method} ${path}`);
      return Response.json({ ...found, state: 'running', of: 18_204, done: 9000 });
    };
    const progress = {
      during: <T>(_label: string, work: Promise<T>) => work,
      bar: (
        label: string,
        done: number,
        total: number,
        figure: (value: number) => string = String,
      ) => {
        bars.push(`${label} ${figure(done)} of ${figure(total)}`);
        polled.resolve();
      },
      print: () => undefined,
      end: () => undefined,
    };
    const replaying = createReplaying(ask, { stopSignal: () => signal.promise, progress });
    return { asked, bars, start, signal, polled, replaying };
  }

  test('ends the replay at the hub, and the command with a refusal', async () => {
    const { asked, bars, signal, polled, replaying } = world();
    const done = replaying.finished({ replay: 'r1' });
    await polled.promise;
    expect(bars[0]).toBe('comparing 9,000 of 18,204');
    signal.resolve('SIGINT');
    expect(await done.catch((error) => error.refusal)).toEqual({ message: 'ended by SIGINT' });
    expect(asked[0]).toBe('GET /replays/r1');
    expect(asked.at(-1)).toBe('DELETE /replays/r1');
  });

  test('while the replay is being started ends it once it has a name', async () => {
    const { asked, start, signal, replaying } = world();
    const done = replaying.started(start.promise);
    signal.resolve('SIGTERM');
    start.resolve({ replay: 'r2' });
    expect(await done.catch((error) => error.refusal)).toEqual({ message: 'ended by SIGTERM' });
    expect(asked).toEqual(['DELETE /replays/r2']);
  });

  test('without any, a hub that started no replay is an earlier one', async () => {
    const { asked, replaying } = world();
    const error = await replaying.finished({}).catch(({ refusal }) => refusal);
    expect(error).toMatchObject({ message: 'this hub cannot replay requests' });
    expect(asked).toEqual([]);
  });
});
