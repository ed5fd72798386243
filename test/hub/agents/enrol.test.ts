/** What the hub sends to whom, when it meets an agent for the first time and when its token changes. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createAgentClient } from '../../../src/hub/agents/client.ts';
import { enrol } from '../../../src/hub/agents/enrol.ts';
import { normalFingerprint } from '../../../src/hub/agents/trust.ts';
import { newCertificate } from '../../../src/program/cli/new-certificate.ts';
import type { Failure } from '../../../src/shared/failure.ts';
import { folderForFile, serverForFile } from '../../harness/for-file.ts';

const folder = folderForFile();
const REQUEST = { hub: 'a'.repeat(32), term: 1, token: 't'.repeat(43), replace: false };
const SECRET = 's'.repeat(43);

/** Stands in for an agent, and for someone between hub and agent. */
let answer: () => Response;

async function serve(name: string) {
  const files = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}-key.pem`) };
  await newCertificate({ ...files, names: ['127.0.0.1'], now: new Date() });
  const received: string[] = [];
  const cert = await Bun.file(files.cert).text();
  const { port = 0 } = serverForFile(
    async (request) => {
      received.push(JSON.stringify([request.url, ...request.headers, await request.text()]));
      return answer();
    },
    { tls: { cert, key: await Bun.file(files.key).text() } },
  );
  const fingerprint = normalFingerprint(new X509Certificate(cert).fingerprint256) ?? '';
  return { port, received, fingerprint };
}

const agent = await serve('agent');
const impostor = await serve('impostor');
const { fingerprint } = agent;
beforeEach(() => {
  answer = () => Response.json({ success: true });
  agent.received.length = 0;
  impostor.received.length = 0;
});

const at = (port: number | undefined) => `https://127.0.0.1:${port}`;
const enrolAt = (url: string) =>
  enrol({ url, fingerprint, secret: SECRET }, REQUEST).then(
    () => 'enrolled',
    ({ code }: { code: string }) => code,
  );

describe('neither secret nor token goes', () => {
  test('to a server with another certificate', async () => {
    expect(await enrolAt(at(impostor.port))).toBe('AGENT_UNREACHABLE');
    expect(impostor.received).toEqual([]);
  });

  test('to one that takes the agent’s place after the first look', async () => {
    let connections = 0;
    const { promise, resolve } = Promise.withResolvers<Server>();
    const switching = createServer((client) => {
      const port = connections++ === 0 ? agent.port : impostor.port;
      const onward = connect(port, '127.0.0.1');
      for (const socket of [client, onward]) socket.on('error', () => {});
      client.pipe(onward).pipe(client);
    }).listen(0, '127.0.0.1', () => resolve(switching));
    const address = (await promise).address();
    const port = typeof address === 'object' ? address?.port : undefined;
    expect(await enrolAt(at(port))).toBe('AGENT_UNREACHABLE');
    expect(connections).toBeGreaterThan(1);
    expect([impostor.received, agent.received]).toEqual([[], []]);
    switching.close();
  });

  test('over plain HTTP', async () => {
    const plain: string[] = [];
    const server = serverForFile((request) => {
      plain.push(request.url);
      return Response.json({ success: true });
    });
    for (const url of [server.url.origin, server.url.origin.replace('http:', 'https:')]) {
      expect(await enrolAt(url)).toBe('AGENT_UNREACHABLE');
    }
    expect(plain).toEqual([]);
  });

  test('to where the agent redirects', async () => {
    answer = () => Response.redirect(`${at(impostor.port)}/enrol`, 307);
    expect(await enrolAt(at(agent.port))).toBe('AGENT_UNREACHABLE');
    expect(impostor.received).toEqual([]);
  });
});

test.each([
  [401, { code: 'INVITATION_INVALID', message: 'no' }, 'INVITATION_INVALID'],
  // An agent with a token of its settings.
  [401, { code: 'UNAUTHENTICATED', message: 'no' }, 'INVITATION_INVALID'],
  [409, { code: 'IMPORT_FIRST', message: 'no' }, 'IMPORT_FIRST'],
  [507, { code: 'STORAGE_UNAVAILABLE', message: 'full' }, 'AGENT_UNREACHABLE'],
  [500, null, 'AGENT_UNREACHABLE'],
  [409, { code: 7 }, 'AGENT_UNREACHABLE'],
])('a refusal with %i %j is %s', async (status, body, code) => {
  answer = () => Response.json(body, { status });
  expect(await enrolAt(at(agent.port))).toBe(code);
});

test('an answer without an end is not read to the end', async () => {
  const piece = new Uint8Array(1 << 16).fill(0x20);
  answer = () => new Response(new ReadableStream({ pull: (to) => to.enqueue(piece) }));
  expect(await enrolAt(at(agent.port))).toBe('AGENT_UNREACHABLE');
});

test('a failed dial is described in one sentence, whatever listens there', async () => {
  const speechless = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await new Promise((done) => speechless.once('listening', done));
  const address = speechless.address();
  const dial = (port: number | undefined) =>
    enrol({ url: at(port), fingerprint, secret: SECRET }, REQUEST).then(
      () => 'enrolled',
      ({ code, message, detail }: Failure) => ({ code, message, detail }),
    );
  const { port } = impostor;
  const closed = 1;
  const silent = typeof address === 'object' ? address?.port : undefined;
  const described = [];
  for (const there of [closed, silent, port]) described.push(await dial(there));
  answer = () => new Response('<p>Welcome to the intranet</p>');
  described.push(await dial(agent.port));
  answer = () => Response.json({ welcome: 'intranet' }, { status: 404 });
  described.push(await dial(agent.port));
  expect(described).toEqual(
    Array(5).fill({
      code: 'AGENT_UNREACHABLE',
      message: 'No agent with this invitation answers at its address.',
      detail: undefined,
    }),
  );
  speechless.close();
});

test('the agent gets the secret and the token', async () => {
  expect(await enrolAt(at(agent.port))).toBe('enrolled');
  expect(agent.received).toHaveLength(1);
  expect(JSON.parse(JSON.parse(agent.received[0] ?? '').at(-1))).toEqual({
    secret: SECRET,
    ...REQUEST,
  });
});

describe('a client whose token is a function', () => {
  let token: string;
  const refuse = () => Response.json({ code: 'UNAUTHENTICATED', message: 'no' }, { status: 401 });
  const call = () =>
    createAgentClient({
      url: at(agent.port),
      trust: { fingerprint },
      token: () => token,
    }).certificates();
  const sent = () => agent.received.map((one) => /Bearer (\w+)/.exec(one)?.[1]);
  beforeEach(() => {
    token = 'old';
  });

  test('does not repeat what is refused with the token that is still the one', async () => {
    answer = refuse;
    await expect(call()).rejects.toThrow('rejects the hub’s token');
    expect(sent()).toEqual(['old']);
  });

  test('repeats what a rotation has overtaken', async () => {
    answer = () => {
      if (token === 'new') return Response.json({ sites: [] });
      token = 'new';
      return refuse();
    };
    expect(await call()).toEqual({ sites: [] });
    expect(sent()).toEqual(['old', 'new']);
  });
});

test('a client is silent from a call without an answer until one with', async () => {
  const client = createAgentClient({ url: at(agent.port), token: 't', trust: { fingerprint } });
  const gone = createAgentClient({ url: at(1), token: 't' });
  expect([client.isSilent(), gone.isSilent()]).toEqual([false, false]);
  await gone.status().catch(() => {});
  expect(gone.isSilent()).toBe(true);
  await client.rotate('n'.repeat(43));
  expect(client.isSilent()).toBe(false);
  answer = () => Response.json({ status: 'ok' });
  expect(await client.answers(5_000)).toBe(true);
});

test('a first look at a certificate takes no longer than the call may', async () => {
  const { promise, resolve } = Promise.withResolvers<Server>();
  const mute = createServer(() => {}).listen(0, '127.0.0.1', () => resolve(mute));
  const address = (await promise).address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const client = createAgentClient({ url: at(port), token: 't', trust: { fingerprint } });
  expect(await client.answers(50)).toBe(false);
  mute.close();
});
