/** No site and no signal keeps Caddy from answering its agent for long. */
import { afterEach, expect, test } from 'bun:test';
import { limit } from '../harness/speed.ts';
import { ask, freePort, type Stack, signUp, startStack, until } from '../harness/stack.ts';

let stack: Stack;
afterEach(() => stack.stop());

const load = (proxyfile: string) => stack.askAgent('/proxy/reload', { proxyfile });

test('a shutdown_delay does not hold up the next load', async () => {
  stack = await startStack();
  const site = (port: number) => `http://a.example:${port} {\n\trespond here\n}\n`;
  const delayed = `{\n\tshutdown_delay 1h\n}\n${site(stack.httpPort)}`;
  expect((await load(delayed + site(freePort()))).status).toBe(200);
  // Closes a port, for which Caddy would wait.
  expect((await load(delayed)).status).toBe(200);
  expect((await load(site(stack.httpPort))).status).toBe(200);
  expect((await stack.served('a.example')).text).toBe('here');
});

test(
  'one that stays mute is restarted and serves its sites, whatever else is asked of it',
  async () => {
    stack = await startStack();
    const { headers } = await signUp(stack);
    const change = (name: string) =>
      ask(`${stack.hub}/vhosts`, {
        json: { domain: `http://${name}.example`, config: 'respond here' },
        headers,
      });
    expect((await change('a')).status).toBe(201);
    const pids = () => stack.lines.join('\n').match(/(?<=proxy started.*pid=)\d+/g) ?? [];
    const [pid] = pids();
    process.kill(Number(pid), 'SIGSTOP');
    // Its questions to Caddy, and those of the hub that tries again, take their time.
    void change('b').catch(() => undefined);
    await until(() => pids().length === 2, 'another Caddy', 50_000);
    expect(stack.lines.join('\n')).toContain('proxy mute');
    await until(async () => {
      const answer = await stack.served('a.example').catch(() => null);
      return answer?.text === 'here';
    });
  },
  limit(70_000),
);
