import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { appendFileSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { line } from '../../agent/logs/lines.ts';
import { readEvents } from '../../harness/events.ts';
import { ask, type Stack, signUp, startStack } from '../../harness/stack.ts';

let stack: Stack;
let headers: Record<string, string>;

beforeAll(async () => {
  stack = await startStack({ ACCESS_LOG_ROLL_MB: '1', ACCESS_LOG_KEEP: '20' });
  headers = (await signUp(stack)).headers;
  for (const domain of ['http://one.example', 'http://two.example']) {
    const json = { domain, config: 'respond here' };
    const answer = await ask(`${stack.hub}/vhosts`, { json, headers });
    if (answer.status !== 201) throw new Error(answer.text);
  }
  await stack.served('one.example', '/before');
});
afterAll(() => stack.stop());

async function tail(query = '', more: Record<string, string> = {}, at = stack.hub) {
  const authorization = at === stack.hub ? headers : stack.agentHeaders;
  const response = await fetch(`${at}/logs/tail?${query}`, {
    headers: { ...authorization, ...more },
  });
  expect(response.status).toBe(200);
  return { response, events: readEvents(response.body) };
}

const pathOf = (event: { data?: string } | undefined): string =>
  JSON.parse(event?.data ?? '{}').path;

describe('a tail is refused', () => {
  test.each([
    ['status=x', ''],
    ['from=now', ''],
    ['after=x', ''],
    ['after=0123456789abcdef', ''],
    ['', 'x'],
    ['', '0123456789abcdef-1x'],
  ])('for the query %p after the event %p', async (query, id) => {
    for (const [at, authorization] of [
      [stack.hub, headers],
      [stack.agent, stack.agentHeaders],
    ] as const) {
      const answer = await ask<{ code: string }>(`${at}/logs/tail?${query}`, {
        headers: { ...authorization, ...(id && { 'Last-Event-ID': id }) },
      });
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
    }
  });
});

describe('a tail', () => {
  test('is an event stream that must not be cached', async () => {
    for (const at of [stack.hub, stack.agent]) {
      const { response, events } = await tail('', {}, at);
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      await events.close();
    }
  });

  test('shows what Caddy logs, with filters, and resumes after an event', async () => {
    const { events } = await tail('domain=ONE.example&status=2xx&method=get&path=&q=');
    await events.begun();
    await stack.served('two.example', '/other');
    await stack.served('one.example', '/a');
    await stack.served('one.example', '/b');
    const a = await events.of('entry');
    expect(JSON.parse(a?.data ?? '')).toEqual({
      timestamp: expect.any(String),
      domain: 'one.example',
      method: 'GET',
      path: '/a',
      status: 200,
      latency: expect.stringMatching(/^[0-9.]+ms$/),
      ip: '127.0.0.1',
    });
    expect(pathOf(await events.of('entry'))).toBe('/b');
    await events.close();
    const id = a?.id ?? '';
    for (const again of [
      await tail('', { 'Last-Event-ID': id }),
      await tail(`after=${id}`),
      await tail(`after=${id}`, {}, stack.agent),
    ]) {
      expect(pathOf(await again.events.of('entry'))).toBe('/b');
      await again.events.close();
    }
  });

  test('loses and repeats nothing while Caddy rolls the log and readers reconnect', async () => {
    const COUNT = 600;
    const filler = 'x'.repeat(5000);
    const { events } = await tail('domain=two.example');
    await events.begun();
    let { events: returning } = await tail('domain=two.example');
    await returning.begun();
    const driven = (async () => {
      for (let i = 0; i < COUNT; i += 25) {
        const some = Array.from({ length: 25 }, (_, n) => i + n);
        await Promise.all(some.map((n) => stack.served('two.example', `/${n}/${filler}`)));
      }
    })();
    const numberOf = (event: { data?: string } | undefined) => Number(pathOf(event).split('/')[1]);
    const seen: number[] = [];
    const seenByReturning: number[] = [];
    while (seen.length < COUNT) seen.push(numberOf(await events.of('entry')));
    while (seenByReturning.length < COUNT) {
      const event = await returning.of('entry');
      seenByReturning.push(numberOf(event));
      if (seenByReturning.length % 200 !== 0) continue;
      await returning.close();
      returning = (await tail('domain=two.example', { 'Last-Event-ID': event?.id ?? '' })).events;
    }
    await driven;
    expect(new Set(seen).size).toBe(COUNT);
    expect(seenByReturning).toEqual(seen);
    const names = readdirSync(dirname(stack.accessLog));
    expect(names.filter((name) => /^access-.*\.log(\.zst)?$/.test(name)).length).toBeGreaterThan(1);
    await events.close();
    await returning.close();
  });

  test('does not delay the shutdown, whether it is read or not', async () => {
    const own = await startStack();
    const who = (await signUp(own)).headers;
    const { port, hostname } = new URL(own.hub);
    const idle = connect(Number(port), hostname);
    const request = `GET /api/logs/tail HTTP/1.1\r\nHost: hub\r\nAuthorization: ${who.Authorization}\r\n\r\n`;
    idle.write(request);
    await new Promise((arrived) => idle.once('data', arrived));
    idle.pause();
    // More than the buffers in between can hold, so that the end cannot reach the reader.
    const many = Array.from({ length: 2000 }, (_, i) => `${line({ ts: 1795212767 + i })}\n`);
    for (let i = 0; i < 20; i++) {
      appendFileSync(own.accessLog, many.join(''));
      await Bun.sleep(20);
    }
    const read = readEvents((await fetch(`${own.hub}/logs/tail`, { headers: who })).body);
    await read.next();
    const end = read.of('entry');
    await own.stop();
    expect(await end).toBeUndefined();
    idle.destroy();
  });
});
