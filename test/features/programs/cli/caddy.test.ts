/** `signalbox caddy`: what it refuses, prints and asks. The agent's part of a restart is a stand-in. */
import { beforeEach, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { hubSocket, localSecret } from '../../../../src/program/data-folder.ts';
import { runHere } from '../../../harness/command.ts';
import { forFile } from '../../../harness/for-file.ts';
import {
  NEXT,
  OLD,
  programOf,
  refusal,
  startProgramAgent,
} from '../../../harness/program-agent.ts';
import { temporaryFolder } from '../../../harness/stack.ts';

const caddy = (...words: string[]) => runHere(['caddy', ...words], { env: all.env });

beforeEach(() => all.reset());

const all = await forFile(startProgramAgent());

test.each([[['--on', 'nobody']], [['restart', '--on', 'nobody']]])(
  '%p is refused',
  async (words) => {
    const done = await caddy(...words);
    expect([done.code, done.out]).toEqual([1, '']);
    expect(done.text).toContain('(NOT_FOUND)');
    expect(all.restarts()).toBe(0);
  },
);

test('a refused program is shown with what it would do otherwise, and nothing changes', async () => {
  const detail = 'a.example: GET / gets 502 instead of 200; no handshake\u001b[2J';
  all.answers(() => refusal(502, 'PROGRAM_REFUSED', 'It is not as good.', { words: detail }));
  const { code, out, text } = await caddy('restart');
  expect([code, out]).toEqual([1, '']);
  expect(text).toContain('It is not as good. (PROGRAM_REFUSED)');
  expect(text).toContain('a.example: GET / gets 502 instead of 200; no handshake');
  expect(text).not.toContain('\u001b');
});

test('shows the program, its holes with how to close them, and the one at PROXY_BIN', async () => {
  const { code, out } = await caddy();
  expect(code).toBe(0);
  expect(out).toStartWith('local: Caddy 2.6.2, since 2026-11-20T19:00:00.000Z\n');
  expect(out).toContain('has none of them: put it at PROXY_BIN, and: signalbox caddy restart');
  expect(out).toContain(
    `At PROXY_BIN: Caddy 2.11.7, SHA-256 ${NEXT.sha256}\n    a.example: GET / gets 404 instead of 403\n`,
  );
  Object.assign(all.state, { managed: false, unit: 'caddy.service', next: null });
  expect((await caddy()).out).toContain('systemctl restart caddy.service');
});

test('restart changes to the one at PROXY_BIN', async () => {
  const { code, out } = await caddy('restart');
  expect([code, out]).toEqual([0, expect.stringMatching(/^local: Caddy 2\.11\.7, since /)]);
  const again = await caddy('restart', '--json', '--on', 'local');
  expect(JSON.parse(again.out)).toMatchObject({ agent: 'local', current: { version: '2.11.7' } });
});

test('several agents follow one another, up to the first that refuses', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(localSecret(dataDir), 'secret');
  const restarted: string[] = [];
  // Stands in for a hub with three agents, of which the second one refuses.
  const hub = Bun.serve({
    unix: hubSocket(dataDir),
    fetch({ method, url }) {
      const { pathname, searchParams } = new URL(url);
      const agent = searchParams.get('agent') ?? '';
      if (pathname === '/api/agents') {
        return Response.json(['one', 'two', 'three'].map((name) => ({ name })));
      }
      const view = { agent, next: null, managed: true, command: null, advisories: [] };
      if (method === 'GET') return Response.json({ ...view, current: OLD });
      restarted.push(agent);
      if (agent === 'one') return Response.json({ ...view, current: programOf('2.11.7', 'b') });
      return refusal(502, 'PROGRAM_REFUSED', 'It is not as good.', { hint: 'Keep the old one.' });
    },
  });
  try {
    const { code, out, text } = await runHere(['caddy', 'restart'], { env: { DATA_DIR: dataDir } });
    expect([code, out]).toEqual([1, expect.stringMatching(/^one: Caddy 2\.11\.7/)]);
    expect(restarted).toEqual(['one', 'two']);
    expect(text).toEndWith(
      'signalbox caddy: two: It is not as good. (PROGRAM_REFUSED)  Keep the old one. Not restarted: three.\n',
    );
  } finally {
    await hub.stop(true);
    rmSync(dataDir, { recursive: true, force: true });
  }
});
