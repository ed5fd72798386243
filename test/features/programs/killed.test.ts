// proof: chaos
/** An agent that is killed at each step of a change of its program, alone or with all that runs, as by a power cut. */
import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf } from '../../../agent/caddy/reload/proxyfile.ts';
import { caddiesOf } from '../../harness/caddys.ts';
import { some } from '../../harness/full.ts';
import { type LoneAgent, siteOf } from '../../harness/lone-agent.ts';
import { anotherCaddy, OWN, startWithPrograms, sumOf } from '../../harness/programs.ts';
import { limit } from '../../harness/speed.ts';
import { ask, until } from '../../harness/stack.ts';

const NEXT = anotherCaddy();
const next = sumOf(readFileSync(NEXT));
const KILLS = some(1, 20, 'KILLS');

let agent: LoneAgent | undefined;
afterEach(async () => {
  await agent?.stop();
  agent = undefined;
});

type All = Awaited<ReturnType<typeof start>>;

async function start() {
  const all = await startWithPrograms(true);
  agent = all.agent;
  const text = all.agent.text([], siteOf('http://a.test') + siteOf('b.test', 'tls internal'));
  expect((await all.agent.reload(text)).status).toBe(200);
  return { ...all, text, pid: pidOf(all.agent) };
}

const pidOf = (of: LoneAgent): number | undefined => caddiesOf(of.dataDir)[0]?.pid;

/** Each of them is seen from outside, in this order. */
const STEPS: Record<string, (of: All) => boolean> = {
  'it is validated': () => true,
  'it is rehearsed': ({ agent }) => existsSync(join(agent.dataDir, 'caddy/rehearsal/run')),
  'the one before is copied': ({ agent }) => existsSync(join(agent.dataDir, 'caddy/programs/part')),
  'the one before has ended': ({ agent }) => pidOf(agent) === undefined,
  'the new one has started': ({ agent, pid }) => ![undefined, pid].includes(pidOf(agent)),
};

/** Changes to the other program until a step is reached. */
async function changeUntil(step: string, all: All): Promise<void> {
  const isNext = (await all.programs()).current?.sha256 === next;
  all.pid = pidOf(all.agent);
  all.place(isNext ? OWN : NEXT);
  let isAnswered = false;
  void all
    .restart()
    .catch(() => null)
    .then(() => (isAnswered = true));
  await until(
    async () => {
      // Nothing else gets a turn meanwhile, and steps are short.
      for (let looks = 0; looks < 50; looks++) {
        if (STEPS[step]?.(all)) return true;
        await Bun.sleep(0);
      }
      return isAnswered;
    },
    `that ${step}`,
    30_000,
  );
}

/** Waits until one Caddy runs, of the program that is said to, and serves what is on disk. */
async function expectInStep({ agent, text, ...all }: All): Promise<void> {
  // A program that is not proved yet may still be changed back and forth.
  await until(async () => {
    const { current, next } = await all.programs();
    const [one, ...others] = caddiesOf(agent.dataDir);
    if (!current || next || !one || others.length > 0) return false;
    if (current.sha256 !== sumOf(readFileSync(all.bin))) return false;
    // It may have been changed back by now, and another one runs.
    const program = await readFile(`/proc/${one.pid}/exe`).catch(() => null);
    return program !== null && sumOf(program) === current.sha256;
  }, 'one Caddy');
  await until(async () => (await agent.status()).liveDigest === digestOf(text), 'its sites');
  const url = `http://127.0.0.1:${agent.httpPort}/`;
  expect((await ask(url, { headers: { Host: 'a.test' } })).text).toBe('http://a.test');
  // Caddy signs it in its own time.
  await until(async () => (await agent.presented('b.test')) === 'Caddy', 'the certificate');
  expect(agent.readProxyfile()).toBe(text);
}

describe.each(Object.keys(STEPS))('once %s', (step) => {
  test.each([
    ['the agent is killed', () => {}],
    ['all is killed', killCaddies],
  ])(
    '%s: one Caddy runs, in step',
    async (_, meanwhile) => {
      const all = await start();
      for (let kills = 0; kills < KILLS; kills++) {
        await changeUntil(step, all);
        await all.agent.kill(() => meanwhile(all.agent));
        await until(async () => (await all.agent.status()).liveDigest === digestOf(all.text));
        // If the one before was adopted, it is for somebody to change.
        await all.restart();
        await expectInStep(all);
      }
    },
    limit(KILLS * 40_000),
  );
});

function killCaddies({ dataDir }: LoneAgent): void {
  for (const { pid } of caddiesOf(dataDir)) process.kill(pid, 'SIGKILL');
}
