/** TLS between hub and agent. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { chmodSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentClient } from '../../src/hub/agents/client.ts';
import { type AgentTrust, normalFingerprint } from '../../src/hub/agents/trust.ts';
import { newCertificate } from '../../src/program/cli/new-certificate.ts';
import { runProgram } from '../harness/program.ts';
import {
  ask,
  freePort,
  type Stack,
  signUp,
  startStack,
  temporaryFolder,
} from '../harness/stack.ts';

const folder = temporaryFolder();
const files = { cert: join(folder, 'agent-cert.pem'), key: join(folder, 'agent-key.pem') };
const NAMES = ['localhost', '127.0.0.1'];
let fingerprint: string;
let stack: Stack;

/** A man in the middle, with a certificate for the same names. */
const received: string[] = [];
let impostor: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  await newCertificate({ ...files, names: NAMES, now: new Date() });
  fingerprint = new X509Certificate(await Bun.file(files.cert).text()).fingerprint256;
  // As root, Caddy has a user of its own, who must be able to enter.
  const open = temporaryFolder();
  chmodSync(open, 0o711);
  stack = await startStack({ AGENT_TLS_CERT: files.cert, AGENT_TLS_KEY: files.key }, open);
  const other = { cert: join(folder, 'other.pem'), key: join(folder, 'other-key.pem') };
  await newCertificate({ ...other, names: NAMES, now: new Date() });
  impostor = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert: await Bun.file(other.cert).text(), key: await Bun.file(other.key).text() },
    fetch(request) {
      received.push(request.headers.get('authorization') ?? '');
      return Response.json({});
    },
  });
});
afterAll(async () => {
  await stack.stop();
  await impostor.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

const client = (trust: AgentTrust | null, url = stack.agent) =>
  createAgentClient({ url, token: stack.token, trust });
const pem = async (name: string) => ({ ca: await Bun.file(join(folder, name)).text() });
const pin = (text = fingerprint) => ({ fingerprint: normalFingerprint(text) ?? '' });

describe('the hub sends nothing to an agent', () => {
  test('whose certificate it does not know', async () => {
    for (const trust of [null, await pem('other.pem'), pin('00'.repeat(32))]) {
      await expect(client(trust).status()).rejects.toMatchObject({ code: 'AGENT_UNREACHABLE' });
    }
  });

  test('that is an impostor', async () => {
    const url = `https://127.0.0.1:${impostor.port}`;
    for (const trust of [null, await pem('agent-cert.pem'), pin()]) {
      await expect(client(trust, url).status()).rejects.toMatchObject({
        code: 'AGENT_UNREACHABLE',
      });
    }
    const known = client(pin());
    await known.status();
    expect(received).toEqual([]);
  });
});

test('a certificate is recognised by its file or its fingerprint', async () => {
  for (const trust of [await pem('agent-cert.pem'), pin(), pin(fingerprint.toLowerCase())]) {
    expect((await client(trust).status()).proxy.running).toBe(true);
  }
});

test('on one machine, hub and agent use TLS, and a publish succeeds', async () => {
  expect(stack.agent).toStartWith('https://');
  const { headers } = await signUp(stack);
  const json = { domain: 'http://tls.example', config: 'respond encrypted' };
  expect((await ask(`${stack.hub}/vhosts`, { json, headers })).status).toBe(201);
  const status = await ask<{ warnings: string[] }>(`${stack.hub}/status`, { headers });
  expect(status.body.warnings).toEqual([]);
  const env = { AGENT_TLS_CERT: files.cert, AGENT_PORT: new URL(stack.agent).port };
  expect((await runProgram(['health', 'agent'], env, folder).exited()).code).toBe(0);
});

test('the hub warns of an agent on another machine without TLS', async () => {
  const env = {
    AGENT_TOKEN: 'x'.repeat(32),
    AGENT_URL: `http://192.0.2.1:${freePort()}`,
    HUB_PORT: '0',
    DATA_DIR: join(folder, 'hub'),
  };
  const hub = runProgram(['hub'], env, folder);
  const url = await hub.address('hub');
  expect(hub.output.err).toContain('plain HTTP');
  await signUp({ hub: `${url}/api` });
  hub.child.kill();
  expect((await hub.exited()).code).toBe(0);
});

test('an existing certificate is not replaced, and only its owner can read its key', async () => {
  expect(statSync(files.key).mode & 0o777).toBe(0o600);
  const again = newCertificate({ ...files, names: NAMES, now: new Date() });
  await expect(again).rejects.toThrow('already exists');
});

test.each(['', 'ab', 'g'.repeat(64), '/etc/agent.pem'])('%p is not a fingerprint', (text) => {
  expect(normalFingerprint(text)).toBeNull();
});
