import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { forFile } from '../harness/for-file.ts';
import { ask, signUp, startStack } from '../harness/stack.ts';

const stack = await forFile(startStack());

/** The whole response to bytes that no HTTP client would send. */
function raw(url: string, text: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.end(text));
    socket.on('data', (chunk) => (answer += chunk));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

test.each(['a b', '', '"x', '[::1', 'a/b', '\u00ff', 'x'.repeat(5_000)])(
  'the Host %j reveals nothing about the program',
  async (host) => {
    for (const [url, paths] of [
      [stack.hub, ['/api/health', '/api/vhosts', '/api/logs', '/nothing']],
      [stack.agent, ['/health', '/proxy/status', '/nothing']],
    ] as const) {
      for (const path of paths) {
        const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
        const answer = await raw(url, Buffer.from(head, 'latin1'));
        expect(answer).not.toMatch(/^HTTP\/1.1 5/);
        expect(answer).not.toContain('node_modules');
        expect(answer.toLowerCase()).not.toContain('<html');
        expect(answer).not.toContain(stack.folder);
      }
    }
  },
);

test('a short host name reaches the same routes', async () => {
  const { headers } = await signUp(stack);
  for (const host of ['x', 'pi', 'nas', 'localhost']) {
    const answer = await ask(`${stack.hub}/vhosts`, { headers: { ...headers, Host: host } });
    expect([answer.status, answer.text]).toEqual([200, '[]']);
    expect((await ask(`${stack.agent}/health`, { headers: { Host: host } })).status).toBe(200);
  }
});

test('a huge body is refused by us, after the guard', async () => {
  const head = (path: string, more: string) =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${more}Content-Length: 209715200\r\nConnection: close\r\n\r\n{`;
  expect(await raw(stack.hub, head('/api/vhosts', ''))).toMatch(
    /^HTTP\/1.1 401[\s\S]*UNAUTHENTICATED/,
  );
  const token = `Authorization: Bearer ${stack.token}\r\n`;
  expect(await raw(stack.agent, head('/proxy/reload', token))).toMatch(
    /^HTTP\/1.1 413[\s\S]*BODY_TOO_LARGE/,
  );
});
