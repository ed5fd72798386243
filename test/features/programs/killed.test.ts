// proof: chaos
/** An agent that is killed at each step of an exchange, alone or with all that runs, as by a power cut; or whose hub is. */
import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { portsOf } from '../../../agent/caddy/ports/sockets.ts';
import { digestOf } from '../../../agent/caddy/reload/proxyfile.ts';
import { caddiesOf } from '../../harness/caddys.ts';
import { some } from '../../harness/full.ts';
import { type LoneAgent, siteOf, startLoneAgent } from '../../harness/lone-agent.ts';
import { anotherCaddy, OWN, programsOf, sumOf } from '../../harness/programs.ts';
import { limit } from '../../harness/speed.ts';
import { ask, until } from '../../harness/stack.ts';

const NEXT = anotherCaddy();
const [own, next] = [OWN, NEXT].map((file) => sumOf(readFileSync(file))) as [string, string];
const KILLS = some(1, 20, 'KILLS');

let agent: LoneAgent | undefined;
afterEach(async () => {
  await agent?.stop();
  agent = undefined;
});

const portsIn = (of: LoneAgent) =>
  caddiesOf(of.dataDir).map(({ pid }) => {
    try {
      return portsOf(pid, 'tcp');
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });

/** Each of them is seen from outside, in this order. */
const STEPS: Record<string, (of: LoneAgent, socket: string) => boolean> = {
  'it is validated': () => true,
  'it has started': (of) => caddiesOf(of.dataDir).length === 2,
  'it is rehearsing': (of) => portsIn(of).filter((ports) => ports.length > 0).length === 2,
  'the endpoint has moved': (_, socket) => existsSync(`${socket}.old`),
  'it is stored': (of) => storedIn(of)?.probation != null,
  'the old one retires': (of) =>
    storedIn(of)?.probation != null && portsIn(of).filter((ports) => ports.length > 0).length === 1,
};

function storedIn({ dataDir }: LoneAgent): { probation: unknown } | null {
  const file = join(dataDir, 'caddy/programs/programs.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

async function start() {
  const started = await startLoneAgent({}, true);
  agent = started;
  const using = programsOf(started);
  const text = started.text([], siteOf('http://a.test') + siteOf('b.test', 'tls internal'));
  expect((await started.reload(text)).status).toBe(200);
  return { agent: started, using, text };
}

/** Goes to the other program until a step is reached. @returns what ends the request */
async function exchangeUntil(
  step: string,
  { agent, using, text }: Awaited<ReturnType<typeof start>>,
): Promise<() => void> {
  const { current } = await using.programs();
  const other = current?.sha256 === own ? next : own;
  if (other === next) expect((await using.keep(readFileSync(NEXT))).status).toBe(200);
  const socket = join(agent.dataDir, 'caddy/run/admin.sock');
  const isReached = STEPS[step] ?? (() => true);
  const asking = new AbortController();
  const answer = fetch(`${agent.url()}/proxy/program`, {
    method: 'POST',
    signal: asking.signal,
    headers: { ...agent.headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ sha256: other, proxyfile: text, checks: [] }),
  }).catch(() => null);
  let isAnswered = false;
  void answer.then(() => (isAnswered = true));
  await until(
    async () => {
      // Nothing else gets a turn meanwhile, and steps are short.
      for (let looks = 0; looks < 50; looks++) {
        if (isReached(agent, socket)) return true;
        await Bun.sleep(0);
      }
      return isAnswered;
    },
    `that ${step}`,
    30_000,
  );
  return () => asking.abort();
}

/** Waits until one Caddy runs, of the program that is said to, and serves what is on disk. */
async function expectInStep({ agent, using, text }: Awaited<ReturnType<typeof start>>) {
  await until(() => caddiesOf(agent.dataDir).length === 1, 'one Caddy');
  await until(async () => (await agent.status()).liveDigest === digestOf(text), 'its sites');
  const { current } = await using.programs();
  const [{ pid } = { pid: 0 }] = caddiesOf(agent.dataDir);
  expect(sumOf(readFileSync(`/proc/${pid}/exe`))).toBe(current?.sha256 ?? '');
  const url = `http://127.0.0.1:${agent.httpPort}/`;
  expect((await ask(url, { headers: { Host: 'a.test' } })).text).toBe('http://a.test');
  expect(await agent.presented('b.test')).toBe('Caddy');
  expect(agent.readProxyfile()).toBe(text);
}

describe.each(Object.keys(STEPS))('once %s', (step) => {
  test.each([
    ['the agent is killed', () => {}],
    ['all is killed', killCaddies],
  ])(
    '%s: one Caddy runs, in step',
    async (_, meanwhile) => {
      const of = await start();
      for (let kills = 0; kills < KILLS; kills++) {
        await exchangeUntil(step, of);
        await of.agent.kill(() => meanwhile(of.agent));
        await expectInStep(of);
        await until(async () => (await of.using.programs()).probation === null, 'its probation');
      }
    },
    limit(KILLS * 40_000),
  );

  test(
    'the hub is killed: one Caddy runs, in step',
    async () => {
      const of = await start();
      for (let kills = 0; kills < KILLS; kills++) {
        const abort = await exchangeUntil(step, of);
        abort();
        // Until then, another exchange is refused, whatever it is for.
        await until(async () => (await of.using.exchange('0'.repeat(64), of.text)).status === 404);
        await expectInStep(of);
      }
    },
    limit(KILLS * 40_000),
  );
});

function killCaddies({ dataDir }: LoneAgent): void {
  for (const { pid } of caddiesOf(dataDir)) process.kill(pid, 'SIGKILL');
}
