import { beforeAll, describe, expect, test } from 'bun:test';
import { appendFileSync } from 'node:fs';
import { connect } from 'node:net';
import { line } from '../../agent/logs/lines.ts';
import { readEvents } from '../../harness/events.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { ask, signUp, startStack } from '../../harness/stack.ts';

const owner = await forFile(startOwner());

beforeAll(async () => {
  for (const domain of ['http://one.example', 'http://two.example']) {
    const json = { domain, config: 'respond here' };
    const answer = await owner.call('POST', '/vhosts', json);
    if (answer.status !== 201) throw new Error(answer.text);
  }
  await owner.stack.served('one.example', '/before');
});

async function tail(query = '', more: Record<string, string> = {}, at = owner.stack.hub) {
  const authorization = at === owner.stack.hub ? owner.headers : owner.stack.agentHeaders;
  const response = await fetch(`${at}/logs/tail?${query}`, {
    headers: { ...authorization, ...more },
  });
  expect(response.status).toBe(200);
  return { response, events: readEvents(response.body) };
}

const pathOf = (event: { data?: string } | undefined): string =>
  JSON.parse(event?.data ?? '{}').path;

test.each(['x', '0123456789abcdef-1x'])('a tail after the event %p is refused', async (id) => {
  const { hub, agent, agentHeaders } = owner.stack;
  for (const [url, headers] of [
    [hub, owner.headers],
    [agent, agentHeaders],
  ] as const) {
    const answer = await ask<{ code: string }>(`${url}/logs/tail`, {
      headers: { ...headers, 'Last-Event-ID': id },
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
  }
});

describe('a tail', () => {
  test('is an event stream that must not be cached', async () => {
    for (const at of [owner.stack.hub, owner.stack.agent]) {
      const { response, events } = await tail('', {}, at);
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      await events.close();
    }
  });

  test('shows what Caddy logs, with filters, and resumes after an event', async () => {
    const { events } = await tail('domain=ONE.example&status=2xx&method=get&path=&q=');
    await events.begun();
    await owner.stack.served('two.example', '/other');
    await owner.stack.served('one.example', '/a');
    await owner.stack.served('one.example', '/b');
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
      await tail(`after=${id}`, {}, owner.stack.agent),
    ]) {
      expect(pathOf(await again.events.of('entry'))).toBe('/b');
      await again.events.close();
    }
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
