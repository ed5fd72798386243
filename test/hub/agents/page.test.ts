import { beforeEach, describe, expect, test } from 'bun:test';
import { createAgentClient } from '../../../src/hub/agents/client.ts';
import { serverForFile } from '../../harness/for-file.ts';

const ENTRY = {
  timestamp: '2026-11-20T18:00:00.123Z',
  domain: 'app.example.org',
  method: 'GET',
  path: '/',
  status: 200,
  latency: '1.234ms',
  ip: '192.0.2.7',
};
const PAGE = { logs: [ENTRY], total: 1, page: 1, pageSize: 50 };

// A stand-in for an agent whose answers are damaged, or those of another version.
let answer = { status: 200, text: '' };
const agent = serverForFile(() => new Response(answer.text, { status: answer.status }));
const client = createAgentClient({ url: agent.url.origin, token: 't'.repeat(32) });

beforeEach(() => {
  answer = { status: 200, text: '' };
});

describe('a page that is not passed on', () => {
  test.each([
    ['nothing', ''],
    ['a page that was cut', JSON.stringify(PAGE).slice(0, -1)],
    ['a page without its beginning', JSON.stringify(PAGE).slice(1)],
    ['something else', '{"logs":"none","total":1,"page":1,"pageSize":50}'],
    ['a page that is not a number', JSON.stringify({ ...PAGE, page: 'x' })],
  ])('%s', async (_, text) => {
    answer.text = text;
    expect(client.logs({})).rejects.toMatchObject({ code: 'AGENT_UNREACHABLE' });
  });

  test('a refusal that looks like a page', async () => {
    answer = { status: 400, text: JSON.stringify(PAGE) };
    expect(client.logs({})).rejects.toMatchObject({ code: 'AGENT_UNREACHABLE' });
  });
});

test('a page is passed on as it is, also a partial one, and one in another order after a check', async () => {
  answer.text = JSON.stringify(PAGE);
  expect(await client.logs({})).toBe(answer.text);
  answer.text = JSON.stringify({ ...PAGE, partial: true });
  expect(await client.logs({})).toBe(answer.text);
  const { logs, ...rest } = PAGE;
  answer.text = JSON.stringify({ ...rest, logs }, null, 2);
  expect(JSON.parse(await client.logs({}))).toEqual(PAGE);
});
