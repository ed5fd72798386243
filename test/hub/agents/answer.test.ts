/** An agent that answers too much, packed, or too deeply. It stands in for one that somebody has taken over. */
import { describe, expect, test } from 'bun:test';
import { createAgentClient } from '../../../src/hub/agents/client.ts';
import { createEventParser } from '../../../src/hub/logs/merged-tail.ts';
import { CSV, createRecords, NDJSON } from '../../../src/hub/logs/records.ts';
import { siteState } from '../../harness/facts.ts';
import { serverForFile } from '../../harness/for-file.ts';
import { until } from '../../harness/stack.ts';

const PIECE = new Uint8Array(1 << 20).fill(0x20);
let sent = 0;
let isEnded = false;
let answer: (request: Request) => Response;
const agent = serverForFile((request) => answer(request));

const endless = () => {
  [sent, isEnded] = [0, false];
  const body = new ReadableStream({
    pull(to) {
      sent++;
      to.enqueue(PIECE);
    },
    cancel() {
      isEnded = true;
    },
  });
  return new Response(body, { headers: { 'Content-Type': 'application/json' } });
};

const client = createAgentClient({ url: agent.url.origin, token: 't', countSites: () => 26 });
const reader = { mayRead: () => true, ended: () => {} };
const QUESTIONS = {
  status: () => client.status(),
  health: () => client.answers(5_000).then((is) => (is ? 'healthy' : Promise.reject(new Error()))),
  reload: () => client.reload(''),
  certificates: () => client.certificates(),
  sites: () => client.sites(),
  'brief sites': () => client.sites(undefined, undefined, true),
  checks: () => client.checks({ checks: [] }),
  page: () => client.logs({}),
  stats: () => client.stats({}),
  merge: () => client.merge({ conditions: {} }),
  adapt: () => client.adapt(''),
  'refused export': () => client.export({ format: 'csv' }, reader),
};
const failureOf = (question: () => Promise<unknown>) =>
  question().then(
    (taken) => taken,
    ({ message }: Error) => message,
  );

describe.each(Object.entries(QUESTIONS))('to the question %s', (name, question) => {
  test('an answer without an end is not read to the end', async () => {
    answer = endless;
    const failure = await failureOf(question);
    if (name !== 'health')
      expect(failure).toMatch(/^The agent’s response is larger than \d+ [KM]iB/);
    await until(() => isEnded, 'the connection to be closed');
    // What was on its way besides.
    expect(sent).toBeLessThan(32);
    // It answers, but not as it should.
    expect(client.isSilent()).toBe(false);
  });

  test('an answer that is packed is not unpacked', async () => {
    const body = Bun.gzipSync(JSON.stringify({ status: 'ok', words: ' '.repeat(64 << 20) }));
    answer = () => new Response(body, { headers: { 'Content-Encoding': 'gzip' } });
    const failure = await failureOf(question);
    expect(failure).not.toBe('healthy');
    if (name !== 'health') expect(failure).toBe('The agent sent an invalid response.');
  });
});

test('it is asked not to pack anything', async () => {
  let asked: string | null = null;
  answer = ({ headers }) => {
    asked = headers.get('accept-encoding');
    return Response.json({ status: 'ok' });
  };
  expect(await createAgentClient({ url: agent.url.origin, token: 't' }).answers(5_000)).toBe(true);
  expect(asked as string | null).toBe('identity');
});

test('JSON that is nested too deeply is not parsed, and nesting as Caddy has it is', async () => {
  const nested = (levels: number) => `{"config":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  answer = () => new Response(nested(2_000_000));
  expect(await failureOf(() => client.adapt(''))).toBe('The agent sent an invalid response.');
  answer = () => new Response(nested(500));
  expect(JSON.stringify(await client.adapt(''))).toBe(nested(500));
});

test('a brief answer that says the same is the same object, and no other is', async () => {
  const site = (name: string) => siteState({ name });
  const brief = () => client.sites(undefined, undefined, true);
  const say = (...names: string[]) => {
    answer = () => Response.json({ sites: names.map(site) });
  };
  say('a');
  const first = await brief();
  expect(await brief()).toBe(first);
  expect(await client.sites()).toEqual(first);
  say('b');
  expect((await client.sites()).sites).toEqual([expect.objectContaining({ name: 'b' })]);
  answer = () => Response.json({ sites: [{ name: 'a' }] });
  expect(await failureOf(brief)).toContain('The agent sent an invalid response.');
  answer = () => Response.json({ sites: [site('a')] }, { status: 502 });
  expect(await failureOf(brief)).toContain('The agent sent an invalid response.');
  say('a', 'b');
  expect((await brief()).sites).toHaveLength(2);
});

test('the more sites a hub has, the more an agent may say of them', async () => {
  const sites = Array.from({ length: 10_000 }, (_, at) => ({
    name: `${at}.${'x'.repeat(400)}.example`,
    ports: [443],
    tls: true,
    authority: null,
    certificate: null,
    reason: null,
    checkedAt: null,
    automated: true,
    dns: false,
    error: null,
  }));
  answer = () => Response.json({ sites });
  expect(await failureOf(() => client.certificates())).toBe(
    'The agent’s response is larger than 928 KiB.',
  );
  const large = createAgentClient({ url: agent.url.origin, token: 't', countSites: () => 10_000 });
  expect((await large.certificates()).sites).toHaveLength(10_000);
});

test.each([
  ['more', [0, 10_000]],
  ['fewer', [10_000, 0]],
])(
  'a hub that has %s sites once the agent answers takes as much as with the most',
  async (_, counts) => {
    let [count = 0, after = 0] = counts;
    const changing = createAgentClient({
      url: agent.url.origin,
      token: 't',
      countSites: () => count,
    });
    answer = () => {
      count = after;
      return Response.json({ sites: [], filler: ' '.repeat(1 << 20) });
    };
    expect((await changing.certificates()).sites).toEqual([]);
  },
);

test('the longer a Caddyfile, the more an agent may say of who signs for its sites', async () => {
  answer = () => Response.json({ sites: [], dnsProviders: [], filler: ' '.repeat(1 << 20) });
  expect(await failureOf(() => client.authorities('a.example'))).toContain('is larger than');
  const many = 'a.example {\n}\n'.repeat(2_000);
  expect((await client.authorities(many)).sites).toEqual([]);
});

describe('of several agents', () => {
  test.each([
    ['NDJSON', NDJSON],
    ['CSV', CSV],
  ])('an entry of an export in %s without an end is not read to the end', async (_, format) => {
    let read = 0;
    const body = {
      async read() {
        read++;
        return { done: false, value: PIECE };
      },
    };
    const records = createRecords(body, format);
    const drain = async () => {
      while (records.peek() === undefined) await records.load();
    };
    await expect(drain()).rejects.toThrow('too long');
    expect(read).toBeLessThan(16);
  });

  test('nor is an event of a tail', () => {
    const parse = createEventParser();
    const drain = () => {
      for (let piece = 0; piece < 16; piece++) parse(PIECE);
    };
    expect(drain).toThrow('too long');
  });
});
