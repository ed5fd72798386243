// proof: program
/** `signalbox agent --invite`, and what an enrolled agent keeps through kills. */
import { afterAll, afterEach, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentClient } from '../../src/hub/agents/client.ts';
import { enrol } from '../../src/hub/agents/enrol.ts';
import { type Invitation, parseInvitation } from '../../src/shared/invitation.ts';
import { caddiesOf } from '../harness/caddys.ts';
import { HUBS, tokenOf } from '../harness/enrolled.ts';
import { refusal } from '../harness/operator.ts';
import { type Program, runProgram } from '../harness/program.ts';
import { ask, freePort, temporaryFolder, until } from '../harness/stack.ts';

const folder = temporaryFolder();
const dataDir = join(folder, 'data');
const [port, httpPort] = [freePort(), freePort()];
const env = {
  DATA_DIR: dataDir,
  AGENT_PORT: String(port),
  PROXY_MANAGED: 'true',
  PROXYFILE: join(folder, 'Caddyfile'),
  ACCESS_LOG: join(folder, 'access.log'),
};
let program: Program | undefined;
const run = (args: string[], more: Record<string, string> = {}) =>
  runProgram(['agent', ...args], { ...env, ...more }, folder);
const end = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
  program?.child.kill(signal);
  await program?.exited();
  program = undefined;
};
afterEach(() => end());
afterAll(() => {
  expect(caddiesOf(dataDir)).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

const start = async (args: string[] = [], more: Record<string, string> = {}) => {
  program = run(args, more);
  await program.address('agent');
  return program;
};
const invited = async (...args: Parameters<typeof start>) => {
  const { output } = await start(...args);
  const line = await until(() => /^invitation: (\S+)$/m.exec(output.out)?.[1], 'the invitation');
  return { ...output, invitation: parseInvitation(line) as Invitation };
};

test.each<[string, string[], Record<string, string>, number, string[]]>([
  ['without a token or an enrolment', [], {}, 1, ['AGENT_TOKEN', 'signalbox agent --invite']],
  [
    'to invite a hub if it has a token',
    ['--invite'],
    { AGENT_TOKEN: 't'.repeat(32) },
    1,
    ['AGENT_TOKEN is set'],
  ],
  ['with a URL alone', ['https://vps.example'], {}, 2, ['only for --invite']],
  ['with a plain URL', ['--invite', 'http://vps.example'], {}, 2, ['https://vps.example:3002']],
  ['with a path', ['--invite', 'https://vps.example/a'], {}, 2, ['without a path']],
  ['with half a certificate', ['--invite'], { AGENT_TLS_CERT: '/nowhere' }, 1, ['AGENT_TLS_CERT']],
])('it does not start %s', async (_, args, more, code, words) => {
  const found = await run(args, more).exited();
  expect([found.code, found.out]).toEqual([code, '']);
  for (const word of words) expect(found.err).toContain(word);
  expect(await Bun.file(join(dataDir, 'agent-key.pem')).exists()).toBe(false);
});

test('the invitation names the address that was given, or one that the hub can use', async () => {
  const given = await invited(['--invite', 'https://vps.example:3002']);
  expect(given.invitation.url).toBe('https://vps.example:3002');
  expect(given.out).toMatch(/^agent listening on .*\ninvitation: sbxi_[\w-]+\n$/);
  expect(given.err).not.toContain('Only a hub on this machine');
  await end();
  const alone = await invited(['--invite']);
  expect(alone.invitation.url).toBe(`https://127.0.0.1:${port}`);
  await until(() => program?.output.err.includes('Only a hub on this machine'), 'the notice');
  expect(program?.output.err).not.toContain(alone.invitation.secret);
  await end();
  const other = await invited(['--invite'], { AGENT_HOST: '127.0.0.2' });
  expect(other.invitation.fingerprint).toBe(alone.invitation.fingerprint);
  expect(other.invitation.secret).not.toBe(alone.invitation.secret);
});

test('an enrolled agent keeps hub, tokens and Caddy, wherever it is killed', async () => {
  const { invitation } = await invited(['--invite']);
  const { url, fingerprint } = invitation;
  const client = (token: string) =>
    createAgentClient({
      url,
      token: tokenOf(token),
      trust: { fingerprint },
      hub: HUBS.first,
      term: () => 1,
    });
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'done',
      ({ code }: { code: string }) => code,
    );
  const publish = (token: string, words: string) =>
    client(token).reload(`http://a.example:${httpPort} {\n\trespond ${words}\n}\n`);
  const served = async () =>
    (await ask(`http://127.0.0.1:${httpPort}/`, { headers: { Host: 'a.example' } })).text;
  const kill = async () => {
    const before = caddiesOf(dataDir).map(({ pid }) => pid);
    await end('SIGKILL');
    await start();
    // Caddy outlived the agent, which still is the one that controls it.
    expect(caddiesOf(dataDir).map(({ pid }) => pid)).toEqual(before);
  };

  await enrol(invitation, { hub: HUBS.first, term: 1, token: tokenOf('one'), replace: false });
  await kill();
  await publish('one', 'enrolled');
  expect(await served()).toBe('enrolled');

  await client('one').rotate(tokenOf('two'));
  await kill();
  await publish('one', 'rotated');
  await kill();
  await publish('two', 'used');
  await kill();
  expect(await codeOf(publish('one', 'late'))).toBe('AGENT_UNREACHABLE');
  await publish('two', 'killed');
  expect(await served()).toBe('killed');

  const health = runProgram(['health', 'agent'], env, folder);
  expect(await health.exited()).toMatchObject({ code: 0, err: '' });

  await end();
  for (const [file, words] of [
    ['agent-cert.pem', 'agent-cert.pem'],
    ['enrolment.json', 'is damaged'],
  ] as const) {
    const path = join(dataDir, file);
    const text = await Bun.file(path).text();
    if (file === 'enrolment.json') writeFileSync(path, text.slice(1));
    else rmSync(path);
    expect(await run([]).exited()).toEqual(refusal(words));
    writeFileSync(path, text);
  }
});

test('an agent with a token can be enrolled, and its Caddy outlives it from then on', async () => {
  const token = 'shared'.repeat(6);
  const text = (words: string) => `http://a.example:${httpPort} {\n\trespond ${words}\n}\n`;
  const { output } = await start([], { AGENT_TOKEN: token });
  const shared = createAgentClient({
    url: await until(() => /listening on (\S+)/.exec(output.out)?.[1], 'the address'),
    token,
  });
  await shared.reload(text('shared'));
  await end('SIGKILL');

  const { invitation } = await invited(['--invite']);
  const { url, fingerprint } = invitation;
  const client = (own: string) =>
    createAgentClient({ url, token: own, trust: { fingerprint }, hub: HUBS.first });
  await expect(client(token).status()).rejects.toThrow('rejects the hub’s token');
  await enrol(invitation, { hub: HUBS.first, term: 1, token: tokenOf('own'), replace: true });
  await client(tokenOf('own')).reload(text('enrolled'));
  const before = caddiesOf(dataDir).map(({ pid }) => pid);
  expect(before).toHaveLength(1);
  await end('SIGKILL');
  await start();
  await client(tokenOf('own')).reload(text('alone'));
  expect(caddiesOf(dataDir).map(({ pid }) => pid)).toEqual(before);
});
