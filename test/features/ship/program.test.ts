// proof: program
/** The whole program ships the log of a real Caddy to a stand-in for a log engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readExposition } from '../../harness/exposition.ts';
import { runProgram } from '../../harness/program.ts';
import {
  ask,
  hasFeature,
  portSettings,
  type Stack,
  signUp,
  startStack,
  temporaryFolder,
  until,
} from '../../harness/stack.ts';
import { startEngine } from './engine.ts';
import { pathsOf } from './shipping.ts';

test('the program does not start with headers that everyone can read', async () => {
  const folder = temporaryFolder();
  const LOG_SHIP_HEADERS_FILE = headers(folder, 0o644);
  const ship = { LOG_SHIP_URL: 'http://loki', LOG_SHIP_HEADERS_FILE };
  const env = { ...portSettings(), DATA_DIR: join(folder, 'data'), ...ship };
  const { code, err } = await runProgram([], env, folder).exited();
  rmSync(folder, { recursive: true });
  const reason = 'LOG_SHIP_HEADERS_FILE names a file that is open to other users';
  expect([code, err]).toEqual([1, expect.stringContaining(reason)]);
  expect(err).not.toContain('hush');
});

function headers(folder: string, mode: number): string {
  const file = join(folder, 'headers');
  writeFileSync(file, 'Authorization: Bearer hush\n', { mode });
  return file;
}

describe('a log engine', () => {
  let status = 401;
  let engine: ReturnType<typeof startEngine>;
  let stack: Stack;
  let signedIn: { Authorization: string };
  let sent = 0;
  beforeAll(async () => {
    engine = startEngine(({ headers }) =>
      headers.get('authorization') === 'Bearer hush' ? status : 403,
    );
    const folder = temporaryFolder();
    const env = {
      LOG_SHIP_URL: engine.url(),
      LOG_SHIP_HEADERS_FILE: headers(folder, 0o600),
      ACCESS_LOG_ROLL_MB: '1',
    };
    stack = await startStack(env, folder);
    ({ headers: signedIn } = await signUp(stack));
    await ask(`${stack.hub}/vhosts`, {
      headers: signedIn,
      json: { domain: 'http://a.example', config: 'respond ok' },
    });
  });
  afterAll(async () => {
    await stack.stop();
    await engine.stop();
  });

  const request = async (count: number) => {
    // Paths that fill the megabyte of a roll faster.
    const paths = Array.from({ length: count }, () => `/${sent++}?${'x'.repeat(3000)}`);
    for (const path of paths) await stack.served('a.example', path);
  };
  /** The values of a metric, if there are metrics. */
  const expectMetric = async (name: string, wanted: (values: number[]) => void) => {
    if (!hasFeature('metrics')) return;
    const { text } = await ask(`${stack.agent}/metrics`, { headers: stack.agentHeaders });
    const { samples = [] } = readExposition(text).get(`signalbox_log_ship_${name}`) ?? {};
    wanted(samples.map(({ value }) => value));
  };
  const warnings = async () =>
    (
      await ask<{ warnings: string[] }>(`${stack.hub}/status`, { headers: signedIn })
    ).body.warnings.join();

  test('that refuses the token is a warning in the status, and nothing is lost', async () => {
    await request(5);
    await until(async () => (await warnings()).includes('the log engine answers 401. '));
    await expectMetric('entries_total', (values) => expect(values).toEqual([0, 0]));
    await expectMetric('failures_total', ([value]) => expect(value).toBeGreaterThan(0));
    await expectMetric('lag_bytes', ([value]) => expect(value).toBeGreaterThan(0));
    await expectMetric('lag_seconds', ([value]) => expect(value).toBeGreaterThan(0));
    status = 204;
    await until(() => engine.accepted.length >= sent);
    await until(async () => !(await warnings()).includes('log engine'));
    await expectMetric('entries_total', (values) => expect(values).toEqual([sent, 0]));
    await expectMetric('lag_seconds', (values) => expect(values).toEqual([0]));
  });

  test('gets every request once and in order, across a roll by Caddy and a restart', async () => {
    await request(250);
    await stack.restart();
    await request(250);
    const rolled = () =>
      readdirSync(dirname(stack.accessLog)).some((name) => /^access-.*\.log/.test(name));
    expect(rolled()).toBe(true);
    await until(() => engine.accepted.length >= sent);
    const paths = pathsOf(engine.accepted).replaceAll(/\?x+/g, '');
    expect(paths).toBe(Array.from({ length: sent }, (_, i) => `/${i}`).join(' '));
    expect(engine.faults).toEqual([]);
    expect(statSync(join(stack.dataDir, 'log-ship.json')).mode & 0o777).toBe(0o600);
    expect(stack.lines.join()).not.toContain('hush');
  });
});
