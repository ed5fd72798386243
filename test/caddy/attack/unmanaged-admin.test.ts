// proof: attack
/** A Caddy that another program runs, under an agent: who may load a configuration into it. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretName } from '../../../agent/caddy/identity.ts';
import { readSettings } from '../../../src/program/config.ts';
import type { Running } from '../../../src/program/listen.ts';
import { serveAgent } from '../../../src/program/serve/agent.ts';
import { QUICK } from '../../harness/pace.ts';
import { ask, freePort, machine, temporaryFolder, until } from '../../harness/stack.ts';

const TOKEN = 'unmanaged'.repeat(4);
const OTHER_TOKEN = 'replaced-'.repeat(4);

for (const kind of ['socket', 'TCP'] as const) {
  describe(`a Caddy that another program runs, admin endpoint on ${kind}`, () => {
    let home: string;
    let caddy: Bun.Subprocess | undefined;
    let agent: Running | undefined;
    let admin: string;
    let port: number;
    const file = (text: string) => join(home, text);
    const site = (text: string) => `http://a.example:${port} {\n\trespond ${text}\n}\n`;
    const served = async () =>
      (await ask(`http://127.0.0.1:${port}/`, { headers: { Host: 'a.example' } })).text;

    beforeEach(() => {
      home = temporaryFolder();
      port = freePort();
      admin = kind === 'TCP' ? `localhost:${freePort()}` : `unix/${join(home, 'a.sock')}`;
    });
    afterEach(async () => {
      await agent?.stop();
      caddy?.kill('SIGKILL');
      await caddy?.exited;
      rmSync(home, { recursive: true, force: true });
    });

    /** One request to the endpoint, as if from a program on the machine. */
    const knock = (path: string, headers: Record<string, string>, method = 'GET') =>
      fetch(kind === 'TCP' ? `http://${admin}${path}` : `http://caddy${path}`, {
        method,
        ...(kind === 'TCP' ? {} : { unix: admin.slice('unix/'.length) }),
        headers: { Host: kind === 'TCP' ? admin : '', ...headers },
      });

    function run(config: string): void {
      caddy = Bun.spawn(['caddy', 'run', '--config', config, '--adapter', 'caddyfile'], {
        env: { PATH: process.env.PATH ?? '', HOME: home },
        stdio: ['ignore', Bun.file(file('out')), Bun.file(file('out'))],
      });
    }

    /** Starts it as systemd does: from a file that takes the sites from the Caddyfile. */
    async function startCaddy(): Promise<void> {
      caddy?.kill('SIGKILL');
      await caddy?.exited;
      rmSync(file('a.sock'), { force: true });
      writeFileSync(file('started'), `{\n\tadmin ${admin}\n}\nimport ${file('Caddyfile')}\n`);
      run(file('started'));
      await until(() => knock('/config/', {}).catch(() => null), 'Caddy');
    }

    async function startAgent(token: string): Promise<void> {
      await agent?.stop();
      const env = {
        PATH: process.env.PATH,
        DATA_DIR: file('data'),
        AGENT_TOKEN: token,
        AGENT_PORT: '0',
        PROXYFILE: file('Caddyfile'),
        PROXY_ADMIN: admin,
        ACCESS_LOG: file('access.log'),
      };
      agent = await serveAgent(
        readSettings('agent', env, machine).agent,
        token,
        () => {},
        undefined,
        QUICK.agent,
      );
    }
    const publish = (text: string, token = TOKEN) =>
      ask(`${agent?.url}/proxy/reload`, {
        json: { proxyfile: text },
        headers: { Authorization: `Bearer ${token}` },
      });

    test('takes orders from the agent alone, and is put back in step after a restart', async () => {
      writeFileSync(file('Caddyfile'), site('first'));
      await startCaddy();
      await startAgent(TOKEN);
      expect((await publish(site('second'))).status).toBe(200);
      writeFileSync(file('Caddyfile'), site('by-hand'));
      const command = ['reload', '--config', file('Caddyfile'), '--adapter', 'caddyfile'];
      const reload = Bun.spawn(['caddy', ...command, '--address', admin, '--force'], {
        env: { PATH: process.env.PATH ?? '', HOME: home },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      expect(await reload.exited).not.toBe(0);
      expect(await new Response(reload.stderr).text()).toContain('403');
      expect((await knock('/config/', {})).status).toBe(403);
      expect((await knock('/stop', {}, 'POST')).status).toBe(403);
      expect(await served()).toBe('second');
      expect((await publish(site('third'))).status).toBe(200);
      expect(await served()).toBe('third');

      await startCaddy();
      expect((await publish(site('fourth'))).status).toBe(200);
      expect((await knock('/config/', {})).status).toBe(403);
      await startAgent(TOKEN);
      expect((await publish(site('fifth'))).status).toBe(200);
      expect(await served()).toBe('fifth');

      // With another token, it takes orders again once it was restarted.
      await startAgent(OTHER_TOKEN);
      await startCaddy();
      expect(await served()).toBe('fifth');
      expect((await publish(site('sixth'), OTHER_TOKEN)).status).toBe(200);
      expect(await served()).toBe('sixth');
      const old = { Host: secretName(TOKEN), Origin: `https://${secretName(TOKEN)}` };
      expect((await knock('/config/', old)).status).toBe(403);

      // And it never reads the secret.
      for (const text of ['out', 'access.log', 'Caddyfile', 'Caddyfile.signalbox']) {
        for (const token of [TOKEN, OTHER_TOKEN]) {
          expect(readFileSync(file(text), 'utf8')).not.toContain(secretName(token));
        }
      }
    });

    /** Starts it from a Caddyfile that sets the endpoint, which the agent reads too. */
    async function startGuarded(options: string, operator: Record<string, string>) {
      writeFileSync(file('Caddyfile'), `{\n\tadmin ${admin} {${options}}\n}\n${site('first')}`);
      run(file('Caddyfile'));
      await until(() => knock('/config/', operator).catch(() => null), 'Caddy');
      await startAgent(TOKEN);
      expect((await publish(site('second'))).status).toBe(200);
      expect(await served()).toBe('second');
      expect((await knock('/config/', {})).status).toBe(403);
    }

    test('keeps the origins that its operator chose, which the agent uses', async () => {
      const operator = { Host: 'their.example', Origin: 'https://their.example' };
      await startGuarded('\n\t\torigins their.example\n\t\tenforce_origin\n\t', operator);
      expect((await knock('/config/', operator)).status).toBe(200);
      await startAgent(TOKEN);
      expect((await publish(site('third'))).status).toBe(200);
      expect((await knock('/config/', operator)).status).toBe(200);
      expect(readFileSync(file('out'), 'utf8')).not.toContain(secretName(TOKEN));
    });

    // On a socket, Caddy 2.11 lets in no origin at all by default.
    test.skipIf(kind === 'socket')('does not keep the default origins', async () => {
      const operator = { Origin: `http://${admin}` };
      await startGuarded('\n\t\tenforce_origin\n\t', operator);
      expect((await knock('/config/', operator)).status).toBe(403);
      expect(readFileSync(file('out'), 'utf8')).not.toContain(secretName(TOKEN));
    });
  });
}
