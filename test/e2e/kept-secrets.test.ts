// proof: acme
/**
 * Follows private keys and DNS credentials through a whole life: they are in no answer, message, log, process
 * list or file but the agent's own.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createPrivateKey } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Acme, HAS_ACME, startAcme } from '../harness/acme.ts';
import { type Chain, makeChain, makeIssuer } from '../harness/certificate.ts';
import { presented } from '../harness/lone-agent.ts';
import { type Program, runProgram } from '../harness/program.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { agentRoutes, hubRoutes } from '../harness/routes.ts';
import {
  type Answer,
  ask,
  portSettings,
  signUp,
  temporaryFolder,
  until,
} from '../harness/stack.ts';

const SITE = 'app.up.example';

/** Nothing, if it is gone by now, such as a lock of Caddy's. */
function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** Of a key or a credential: all that would give it away, or a part of it. */
type Secrets = Map<string, Buffer>;

describe.skipIf(!HAS_ACME)('keys and credentials', () => {
  const secrets: Secrets = new Map();
  /** Everything that anybody was told. */
  const said: { what: string; text: string }[] = [];
  const home = temporaryFolder();
  const dataDir = join(home, 'data');
  const ports = portSettings();
  let acme: Acme;
  let receiver: Receiver;
  let program: Program;
  let hub: string;
  let headers: Record<string, string>;
  let chains: Chain[];
  let watch: Timer;

  /** Remembers the private number of a key, and lines of its PEM. */
  function noteKey(name: string, pem: string): void {
    const number = createPrivateKey(pem).export({ format: 'jwk' }).d ?? '';
    noteSecret(`${name}, number`, Buffer.from(number, 'base64url'));
    for (const [at, line] of pem.split('\n').entries()) {
      // The first line of Base64 is of the kind, not of the key.
      if (at > 1 && /^[\w+/=]{20,}$/.test(line)) noteText(`${name}, line ${at}`, line);
    }
  }
  function noteSecret(name: string, bytes: Buffer): void {
    secrets.set(`${name}, raw`, bytes);
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      noteText(`${name}, ${encoding}`, bytes.toString(encoding).replace(/=+$/, ''));
    }
  }
  const noteText = (name: string, text: string) => secrets.set(name, Buffer.from(text));
  const found = (bytes: Buffer): string[] =>
    [...secrets].flatMap(([name, secret]) => (bytes.includes(secret) ? [name] : []));

  async function start(): Promise<void> {
    const authority = { ACME_DIRECTORY: acme.directory, ACME_ROOTS_FILE: acme.roots };
    const env = { ...ports, ...authority, DATA_DIR: dataDir, LOG_LEVEL: 'debug' };
    program = runProgram([], env, home);
    hub = `${await program.address('hub')}/api`;
  }
  async function stop(): Promise<void> {
    program.child.kill('SIGTERM');
    const { out, err } = await program.exited();
    said.push({ what: 'stdout and stderr', text: out + err });
  }
  async function call<T = { id: number }>(
    method: string,
    path: string,
    json?: object,
    as = headers,
  ): Promise<Answer<T>> {
    const answer = await ask<T>(`${hub}${path}`, { method, headers: as, json });
    said.push({ what: `${method} ${path} ${answer.status}`, text: answer.text });
    return answer;
  }
  async function done(method: string, path: string, json?: object, as = headers) {
    const { status, text, body } = await call<{ id: number; serial: string }>(
      method,
      path,
      json,
      as,
    );
    expect([method, path, status, text]).toEqual([method, path, status < 300 ? status : 200, text]);
    return body;
  }
  const kept = (method: string, path: string, json?: object, as?: Record<string, string>) =>
    done(method, `/certificates/kept${path}`, json, as);
  const pairOf = ({ chain, key }: Chain) => ({ chain, key });
  const file = () => join(dataDir, 'Caddyfile.certificates');

  beforeAll(async () => {
    acme = await startAcme();
    receiver = startReceiver('a secret of the webhook');
    const issuer = await makeIssuer();
    const chainOf = (days: number) => makeChain({ names: ['*.up.example'], days, issuer });
    chains = await Promise.all([30, 60, 90].map(chainOf));
    for (const [at, { key }] of chains.entries()) noteKey(`key ${at}`, key);
    const tsig = acme.dns.spec.credentials.RFC2136_TSIG_SECRET as string;
    noteSecret('credential', Buffer.from(tsig, 'base64'));
    await start();
    headers = (await signUp({ hub })).headers;
    // Whoever is on the machine sees what processes are started with.
    watch = setInterval(() => {
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        try {
          const text = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
          if (found(Buffer.from(text, 'latin1')).length > 0) said.push({ what: 'cmdline', text });
        } catch {
          // It ended meanwhile.
        }
      }
    }, 20);
  });
  afterAll(async () => {
    clearInterval(watch);
    program.child.kill('SIGTERM');
    await program.exited();
    await Promise.all([acme.stop(), receiver.stop()]);
    rmSync(home, { recursive: true, force: true });
  });

  test('live a whole life', async () => {
    const [one, two, three] = chains as [Chain, Chain, Chain];
    const target = { url: `${receiver.url}/hook`, secret: 'a secret of the webhook' };
    const events = ['certificate.failed', 'certificate.ending'];
    await done('POST', '/channels', { kind: 'webhook', name: 'hook', target, events });
    await kept('POST', '', { name: 'up', ...pairOf(one) });
    await done('POST', '/vhosts', { domain: SITE, config: 'respond app' });
    const order = { names: ['*.home.example'], email: 'ada@home.example', dns: acme.dns.spec };
    await kept('POST', '/try', order);
    await kept('POST', '', { name: 'home', ...order });
    await done('POST', '/vhosts', { domain: 'app.home.example', config: 'respond app' });
    noteKeysOf('ordered');
    await kept('POST', '/home/renew');
    noteKeysOf('renewed');

    const wrong = Buffer.from('a wrong secret for the canary....').toString('base64');
    noteText('wrong credential', wrong);
    const credentials = { ...acme.dns.spec.credentials, RFC2136_TSIG_SECRET: wrong };
    for (const [method, path, json] of [
      // The authority may believe names that the account has proved.
      ['PUT', '/home', { names: ['*.new.home.example'], dns: { ...acme.dns.spec, credentials } }],
      ['PUT', '/up', { chain: one.chain, key: two.key }],
      ['PUT', '/up', { chain: one.key, key: one.chain }],
      ['PUT', '/up', { chain: one.chain, key: `${one.key.slice(0, 120)}!${one.key.slice(121)}` }],
      ['POST', '', { name: two.key, ...pairOf(one) }],
      ['POST', '', { name: 'more', ...order, dns: { provider: wrong, credentials } }],
    ] as const) {
      const refused = await call<{ code: string }>(method, `/certificates/kept${path}`, json);
      expect(refused.status).toBeGreaterThanOrEqual(400);
    }

    const { body: hook } = await call<{ token: string }>('POST', '/tokens', {
      name: 'hook',
      scope: 'write',
    });
    await kept('PUT', '/up', pairOf(two), { Authorization: `Bearer ${hook.token}` });
    await kept('PUT', '/up', pairOf(three));
    await undoLast();
    await kept('DELETE', '/up?force=true');
    await undoLast();
    const preview = {
      operations: [{ op: 'create', domain: 'new.up.example', config: 'respond n' }],
    };
    await call('POST', '/preview', preview);
    await acme.kill();
    const failed = await call<{ code: string }>('POST', '/certificates/kept/home/renew');
    expect(failed.body.code).toBe('CERTIFICATE_FAILED');
    await receiver.awaited(({ body }) => body.includes('was not renewed'), 'a message');
    await stop();
    await start();
    await until(
      async () => (await presented(Number(ports.PROXY_HTTPS_PORT), SITE)) === two.serial,
      'the certificate after a start',
    );

    async function undoLast(): Promise<void> {
      const [entry] = (await call<{ id: number }[]>('GET', '/changelog')).body;
      await done('POST', `/changelog/${entry?.id}/revert`);
    }
    function noteKeysOf(name: string): void {
      const entries = JSON.parse(readFileSync(file(), 'utf8')) as { key: string }[];
      expect(entries.length).toBe(2);
      for (const [at, { key }] of entries.entries()) noteKey(`${name} ${at}`, key);
    }
  });

  test('are in no answer of hub and agent, nor in a message', async () => {
    const folder = temporaryFolder();
    const agent = await program.address('agent');
    const token = readFileSync(join(dataDir, 'agent-token'), 'utf8').trim();
    const asked = [
      ...hubRoutes(folder).map((route) => ({
        ...route,
        base: hub.replace('/api', ''),
        as: headers,
      })),
      ...agentRoutes().map((route) => ({
        ...route,
        base: agent,
        as: { Authorization: `Bearer ${token}` },
      })),
    ].filter(
      ({ method, path }) => method === 'GET' && !/tail|providers|openapi|\*|:file/.test(path),
    );
    let successes = 0;
    for (const { base, path, as } of asked) {
      for (const id of path.includes(':') ? ['1', 'up', 'local'] : ['']) {
        const url = `${base}${path.replace(/:\w+/, id)}`;
        const { status, text } = await ask(url, { headers: as });
        if (status === 200) successes++;
        said.push({ what: url, text });
      }
    }
    for (const format of ['yaml', 'caddyfile', 'json'])
      await call('GET', `/export?format=${format}`);
    rmSync(folder, { recursive: true });
    expect(successes).toBeGreaterThan(40);
    for (const { body, headers } of receiver.received) {
      said.push({ what: 'message', text: body + JSON.stringify(headers) });
    }
    const { out, err } = program.output;
    said.push({ what: 'stdout and stderr', text: out + err });
    const faults = said.flatMap(({ what, text }) =>
      found(Buffer.from(text)).map((secret) => `${secret}: ${what}`),
    );
    expect(faults).toEqual([]);
  });

  test('are in no file but that of the agent, which nobody else may read', async () => {
    const files = readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name));
    const names = files.map((path) => path.slice(dataDir.length + 1));
    for (const name of ['signalbox.db', 'signalbox.db-wal', 'caddy/caddy.log', 'Caddyfile']) {
      expect(names).toContain(name);
    }
    const faults = files.flatMap((path) =>
      found(contentOf(path)).map((secret) => `${secret}: ${path}`),
    );
    expect(faults.filter((fault) => !fault.endsWith(file()))).toEqual([]);
    // What is served, and nothing of before; and it shows that secrets are found where they are.
    const own = new Set(faults.map((fault) => fault.replace(/,.*/, '')));
    expect([...own].toSorted()).toEqual(['key 1', 'renewed 1']);
    expect((statSync(file()).mode & 0o777).toString(8)).toBe('600');
    const open = files
      .filter((path) => /lego|secret-key|signalbox\.db/.test(path))
      .flatMap((path) => {
        const mode = statSync(path).mode & 0o777;
        return mode === 0o600 ? [] : [`${mode.toString(8)} ${path}`];
      });
    expect(open).toEqual([]);
  });
});
