/** `signalbox caddy`: what it refuses, prints and asks. The agent's part of an exchange is a stand-in. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hubSocket, localSecret } from '../../../../src/program/data-folder.ts';
import { type Here, runHere } from '../../../harness/command.ts';
import {
  OLD,
  type ProgramAgent,
  programOf,
  refusal,
  startProgramAgent,
} from '../../../harness/program-agent.ts';
import { temporaryFolder } from '../../../harness/stack.ts';

let all: ProgramAgent;
let file: string;
const sum = new Bun.CryptoHasher('sha256').update('2.11.7').digest('hex');
const site = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: ({ url }) =>
    url.endsWith('/caddy') ? new Response('2.11.7') : new Response('', { status: 404 }),
});
const caddy = (words: string[], here: Here = {}) =>
  runHere(['caddy', ...words], { env: all.env, ...here });
const asked = () => all.seen.filter(({ path }) => !path.startsWith('GET'));

beforeAll(async () => {
  all = await startProgramAgent();
  file = join(all.folder, 'caddy');
  writeFileSync(file, '2.11.7');
});
afterAll(async () => {
  await all.stop();
  await site.stop(true);
});
beforeEach(() => {
  all.answers('works');
  all.seen.length = 0;
  Object.assign(all.state, {
    current: OLD,
    previous: [],
    probation: null,
    managed: true,
    unit: null,
  });
});

test.each([
  [['use'], 2, 'use needs a FILE or a URL'],
  [['back', 'x'], 2, 'back takes no FILE'],
  [['--sha256', 'a'.repeat(64)], 2, '--sha256 is only for use'],
  [['use', 'x', '--sha256', 'short'], 2, '--sha256 takes 64 hexadecimal digits'],
  [['use', '/nowhere'], 1, '/nowhere cannot be read'],
  [['back'], 1, 'no program is kept to go back to'],
  [['--on', 'nobody'], 1, '(NOT_FOUND)'],
])('%p is refused', async (words, code, reason) => {
  const done = await caddy(words);
  expect([done.code, done.out]).toEqual([code, '']);
  expect(done.text).toContain(reason);
  expect(asked()).toEqual([]);
});

test('a URL without its sum is refused, unless somebody at a terminal confirms it', async () => {
  const url = `${site.url.origin}/caddy`;
  const alone = await caddy(['use', url], { host: { hasTerminal: false } });
  expect([alone.code, alone.text]).toEqual([1, expect.stringContaining('needs --sha256')]);
  const no = await caddy(['use', url]);
  expect([no.code, no.asked.length, no.text]).toEqual([1, 1, expect.stringContaining(sum)]);
  expect((await caddy(['use', `${url}/none`], { agrees: true })).text).toContain('answers 404');
  expect(asked()).toEqual([]);
  expect(await caddy(['use', url], { agrees: true })).toMatchObject({
    code: 0,
    out: 'local\tCaddy 2.11.7\n',
  });
});

test('a file with another sum is refused', async () => {
  const done = await caddy(['use', file, '--sha256', OLD.sha256]);
  expect([done.code, done.text]).toEqual([1, expect.stringContaining(`another SHA-256: ${sum}`)]);
  expect(asked()).toEqual([]);
});

test('a refused program is shown with its differences by site, and nothing changes', async () => {
  const differences = [
    { domain: 'a.example', reason: 'GET / answered 502 instead of 200' },
    { domain: '', reason: 'no handshake on port 8443\u001b[2J' },
  ];
  all.answers(() => refusal(502, 'PROGRAM_REFUSED', 'It is not as good.', { differences }));
  const { code, out, text } = await caddy(['use', file]);
  expect([code, out]).toEqual([1, '']);
  expect(text).toContain('a.example\tGET / answered 502 instead of 200\n-\tno handshake');
  expect(text).toContain('It is not as good. (PROGRAM_REFUSED)');
  expect(text).not.toContain('\u001b');
});

test('use, again, and back', async () => {
  const used = await caddy(['use', file, '--sha256', sum.toUpperCase()]);
  expect([used.code, used.out]).toEqual([0, 'local\tCaddy 2.11.7\n']);
  expect(used.text).toContain('a.example: the header Via is another');
  expect(used.text).toContain('not compared: websockets (2)');
  all.seen.length = 0;
  expect((await caddy(['use', file])).code).toBe(0);
  expect(asked()).toEqual([]);
  const back = await caddy(['back', '--json', '--on', 'local']);
  expect(JSON.parse(back.out)).toMatchObject({ agent: 'local', current: { version: '2.6.2' } });
  const log = await runHere(['api', 'GET', '/changelog', '-q', 'grouped=true'], { env: all.env });
  expect(log.out).toContain('"Exchanged Caddy 2.11.7 → 2.6.2"');
});

test('shows the program, its holes with how to close them, its plugins and those that are kept', async () => {
  all.state.current = programOf('2.6.2', 'a', ['http.handlers.rate_limit']);
  all.state.previous = [programOf('2.11.7', 'c')];
  const { code, out } = await caddy([]);
  expect(code).toBe(0);
  expect(out).toStartWith('local: Caddy 2.6.2, since 2026-11-20T19:00:00.000Z\n');
  expect(out).toContain('has none of them: signalbox caddy use FILE --on local\n');
  expect(out).toContain('Plugin http.handlers.rate_limit: not used\n');
  expect(out).toContain(`Kept: Caddy 2.11.7, SHA-256 ${'c'.repeat(64)}\n`);
  Object.assign(all.state, { managed: false, unit: 'caddy.service' });
  expect((await caddy([])).out).toContain('systemctl restart caddy.service');
});

test('several agents follow one another, up to the first that refuses', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(localSecret(dataDir), 'secret');
  const exchanged: string[] = [];
  const view = (agent: string, version: string, digit: string) =>
    Response.json({ agent, current: programOf(version, digit), previous: [], probation: null });
  // Stands in for a hub with three agents, of which the second one refuses.
  const hub = Bun.serve({
    unix: hubSocket(dataDir),
    fetch({ method, url }) {
      const { pathname, searchParams } = new URL(url);
      const agent = searchParams.get('agent') ?? '';
      if (pathname === '/api/agents') {
        return Response.json(['one', 'two', 'three'].map((name) => ({ name })));
      }
      if (method === 'GET') return view(agent, '2.6.2', 'a');
      exchanged.push(agent);
      if (agent === 'one') return view(agent, '2.11.7', 'b');
      return refusal(502, 'PROGRAM_REFUSED', 'It is not as good.', { hint: 'Keep the old one.' });
    },
  });
  try {
    const { code, out, text } = await caddy(['use', file], { env: { DATA_DIR: dataDir } });
    expect([code, out]).toEqual([1, 'one\tCaddy 2.11.7\n']);
    expect(exchanged).toEqual(['one', 'two']);
    expect(text).toEndWith(
      'signalbox caddy: two: It is not as good. (PROGRAM_REFUSED)  Keep the old one. The new program stays on one. Not asked: three.\n',
    );
  } finally {
    await hub.stop(true);
    rmSync(dataDir, { recursive: true, force: true });
  }
});
