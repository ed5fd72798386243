/** The progress line of the running program, on a pseudo-terminal. */
import { afterAll, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { MAIN, runProgram } from '../harness/program.ts';
import { limit } from '../harness/speed.ts';
import { temporaryFolder, until } from '../harness/stack.ts';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As many as take longer to index than work without a progress line. */
const [ROLLS, LINES] = [5, 100_000];

/** Runs the program on a pseudo-terminal. */
function atTerminal(args: string[], env: Record<string, string> = {}) {
  let seen = '';
  const decoder = new TextDecoder();
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', NO_COLOR: '1', ...env },
    terminal: {
      cols: 70,
      rows: 10,
      data: (_terminal, bytes) => {
        seen += decoder.decode(bytes, { stream: true });
      },
    },
  });
  return { child, seen: () => seen };
}

test('an import shows its progress on a terminal, and nothing in a pipe', async () => {
  const file = join(folder, 'theirs.Caddyfile');
  writeFileSync(file, 'http://a.example {\n\trespond a\n}\n');
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
  const answers: (() => void)[] = [];
  // Stands in for a slow hub.
  const hub = Bun.serve({
    unix: join(folder, 'data/hub.sock'),
    fetch: async () => {
      await new Promise<void>((resolve) => answers.push(resolve));
      const merge = { sites: [{ domain: 'a', action: 'create' }], preamble: [] };
      return Response.json({ vhosts: [{ id: 1, domain: 'a' }], skipped: [], proxyfile: '', merge });
    },
  });
  try {
    const terminal = atTerminal(['import', file]);
    await until(() => /importing [-|/\\] [1-9] s/.test(terminal.seen()), 'the spinner');
    answers[0]?.();
    expect(await terminal.child.exited).toBe(0);
    await until(() => terminal.seen().endsWith('1\ta\r\n'), 'the end');
    // The line was cleared before the next one was written.
    expect(terminal.seen()).toMatch(/\r {15,}\r1 site imported\r\n1\ta\r\n$/);

    const piped = runProgram(['import', file], {}, folder);
    await until(() => answers[1], 'the request');
    answers[1]?.();
    expect(await piped.exited()).toEqual({ code: 0, out: '1\ta\n', err: '1 site imported\n' });
  } finally {
    await hub.stop(true);
  }
});

test(
  'the first indexing shows its progress on a terminal, and nothing in a pipe',
  async () => {
    const line = `${JSON.stringify({ level: 'info', ts: 1.5, request: { host: 'a.example', method: 'GET', uri: '/' }, status: 200, duration: 0.01 })}\n`;
    const roll = (at: number) =>
      join(folder, `access-2026-01-01T00-00-${String(at).padStart(2, '0')}.000.log.zst`);
    writeFileSync(roll(0), zstdCompressSync(Buffer.from(line.repeat(LINES))));
    for (let at = 1; at < ROLLS; at++) copyFileSync(roll(0), roll(at));
    const env = {
      AGENT_TOKEN: 'x'.repeat(32),
      AGENT_PORT: '0',
      ACCESS_LOG: join(folder, 'access.log'),
      PROXYFILE: join(folder, 'Caddyfile'),
      PROXY_ADMIN: `unix/${join(folder, 'no.sock')}`,
    };
    const terminal = atTerminal(['agent'], env);
    await until(
      () => /indexing the access log \[#+-+\] {1,2}\d+%/.test(terminal.seen()),
      'the bar',
    );
    await until(() => /\r {60,}\r$/.test(terminal.seen()), 'its end', 60_000);
    const listens = /(^|\r|\n)agent listening on http:\S+\r\n/;
    await until(() => listens.test(terminal.seen()), 'its address');
    terminal.child.kill('SIGTERM');
    expect(await terminal.child.exited).toBe(0);
    expect(terminal.seen()).not.toContain('\x1b');

    const piped = runProgram(['agent'], env, folder);
    const url = await piped.address('agent');
    const headers = { Authorization: `Bearer ${env.AGENT_TOKEN}` };
    await until(
      async () => {
        const page = (await (await fetch(`${url}/logs`, { headers })).json()) as { total: number };
        return page.total === ROLLS * LINES;
      },
      'the index',
      60_000,
    );
    piped.child.kill('SIGTERM');
    expect((await piped.exited()).err).not.toContain('indexing');
  },
  limit(120_000),
);
