/** However a request is written, without the token the agent answers nothing but its health. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { newCertificate } from '../../src/program/cli/new-certificate.ts';
import { FULL } from '../harness/full.ts';
import { sendRaw } from '../harness/raw.ts';
import { agentRoutes } from '../harness/routes.ts';
import { limit } from '../harness/speed.ts';
import { type Stack, startStack, temporaryFolder } from '../harness/stack.ts';
import { words } from '../harness/words.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND', 'CONNECT'];

/** Ways to write a path, alone and behind one that needs no token. */
const SPELLINGS: ((path: string) => string)[] = [
  (path) => path,
  (path) => `/${path}`,
  (path) => `${path}/`,
  (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => path.toUpperCase(),
  (path) => `${path};x`,
  (path) => `${path}#`,
  (path) => path.replaceAll('/', '\\'),
  (path) => `/health#${path}`,
  (path) => `/health?${path}`,
  (path) => `/health/..${path}`,
  (path) => `/health/%2e%2e${path}`,
  (path) => `/health;${path}`,
  (path) => `/health\\..${path}`,
  (path) => `/health%23${path}`,
  (path) => `/metrics#${path}`,
  (path) => `http://127.0.0.1${path}`,
  (path) => `https://x${path}`,
  (path) => `http://x/health#${path}`,
  (path) => `//health${path}`,
  (path) => path.slice(1),
];
const PATHS = [...new Set(agentRoutes().map(({ path }) => path))].filter(
  (path) => !['/health', '/metrics'].includes(path),
);
const spelled = (paths: string[]) => paths.flatMap((path) => SPELLINGS.map((spell) => spell(path)));
const OTHERS = ['*', 'x:80', 'http://x', '/', '/*', '/health', '/nothing'];
/**
 * Every route with the shortest host, where a router errs first, by the methods that routes have; with the
 * others, these two.
 */
const targetsFor = (host: string | null, isOfRoutes: boolean) =>
  host === 'h' && isOfRoutes
    ? [...spelled(PATHS), ...OTHERS]
    : [...spelled(['/logs', '/proxy/reload']), ...OTHERS];
/** Of a length that moves where a router looks for the path, absent, or no host at all. */
const HOSTS = [
  '',
  'h',
  'hh',
  'hhh',
  'h:1',
  '127.0.0.1:3002',
  'localhost',
  'x'.repeat(300),
  ...words('[::1] [ a/logs a# a?b u@h h:99999'),
  'a b',
  'h, g',
  '%00',
  null,
];

const HEALTH = '{"status":"ok"}';
const REFUSALS = [400, 401, 404];
/** Bun's own refusals: a target with a space, and one that is no target. */
const OF_THE_SERVER = [0, 505];

const folder = temporaryFolder();
const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
const stacks: Record<string, Stack> = {};

beforeAll(async () => {
  await newCertificate({ ...files, names: ['localhost'], now: new Date() });
  stacks.HTTP = await startStack();
  stacks.TLS = await startStack({ AGENT_TLS_CERT: files.cert, AGENT_TLS_KEY: files.key });
});
afterAll(async () => {
  for (const stack of Object.values(stacks)) await stack.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(['HTTP', 'TLS'])('over %s', (scheme) => {
  const send = (method: string, target: string, host: string | null, more = '') => {
    const head = `${method} ${target} HTTP/1.1\r\n${host === null ? '' : `Host: ${host}\r\n`}`;
    const body = method === 'POST' ? 'Content-Length: 1\r\n\r\n{' : '\r\n';
    return sendRaw(
      stacks[scheme]?.agent ?? '',
      `${head}X-Forwarded-For: 192.0.2.1\r\n${more}${body}`,
    );
  };

  test.each(FULL || scheme === 'HTTP' ? METHODS : ['GET'])(
    '%s of no path in any spelling gets past the token',
    async (method) => {
      const opened: string[] = [];
      const isOfRoutes = FULL || (scheme === 'HTTP' && ['GET', 'POST'].includes(method));
      // Which host it is matters before the method is looked at, and so does TLS.
      for (const host of isOfRoutes || scheme === 'TLS' ? HOSTS : ['h', null]) {
        const answers = await Promise.all(
          targetsFor(host, isOfRoutes).map(async (target) => ({
            target,
            ...(await send(method, target, host)),
          })),
        );
        for (const { target, status, body } of answers) {
          const isRefused = [...REFUSALS, ...OF_THE_SERVER].includes(status);
          const isHealth =
            status === 200 && (body === HEALTH || (method === 'HEAD' && body === ''));
          if (!isRefused && !isHealth)
            opened.push(`${method} ${target} of ${host}: ${status} ${body}`);
        }
      }
      expect(opened).toEqual([]);
    },
    limit(120_000),
  );

  test.each(['/logs#', '/health#/logs', '/#', 'http://x/logs#x'])(
    'the target %s is refused, with the token too',
    async (target) => {
      const token = `Authorization: Bearer ${stacks[scheme]?.token}\r\n`;
      for (const host of ['h', 'localhost']) {
        const { status, body } = await send('GET', target, host, token);
        expect([status, JSON.parse(body).code]).toEqual([400, 'INVALID_REQUEST']);
      }
    },
  );

  test('the plain path is open with the token', async () => {
    const token = `Authorization: Bearer ${stacks[scheme]?.token}\r\n`;
    expect((await send('GET', '/logs', 'localhost', token)).status).toBe(200);
    expect((await send('GET', '/nothing', 'localhost', token)).status).toBe(404);
    expect((await send('GET', '/nothing', 'localhost')).status).toBe(401);
  });
});

test('the hub refuses a fragment in a target too', async () => {
  const { hub = '' } = stacks.HTTP ?? {};
  for (const target of ['/api/health#/api/vhosts', '/api/vhosts#', '/#x']) {
    const { status } = await sendRaw(hub, `GET ${target} HTTP/1.1\r\nHost: h\r\n\r\n`);
    expect(status).toBe(400);
  }
});
