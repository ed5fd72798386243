/** The settings of an agent that are about a log engine. */
import { expect, test } from 'bun:test';
import { readShip } from '../../../src/features/ship/settings.ts';
import { readSettings } from '../../../src/program/config.ts';
import { createReader } from '../../../src/program/settings-reader.ts';
import { machine } from '../../harness/stack.ts';

const engine = (env: Record<string, string>) =>
  readShip(createReader(env, 'all', '/srv/box', () => ''));

test('nothing is shipped by default, nor by a hub', () => {
  expect(engine({})).toBeNull();
  const env = { AGENT_TOKEN: 't'.repeat(32), LOG_SHIP_URL: 'not an address' };
  expect(readSettings('hub', env, machine).agent.plans).toEqual([]);
  expect(() => readSettings('agent', env, machine)).toThrow('LOG_SHIP_URL must be');
});

test('the format is that of the address, or the given one', () => {
  const url = 'https://logs.example/loki/api/v1/push';
  expect(engine({ LOG_SHIP_URL: url, LOG_SHIP_HEADERS_FILE: '/etc/headers' })).toEqual({
    engine: { url, format: 'loki', headersFile: '/etc/headers' },
    placeFile: '/srv/box/log-ship.json',
  });
  const other = { LOG_SHIP_URL: 'http://logs/x?y=%20z' };
  expect(engine(other)?.engine).toEqual({
    url: 'http://logs/x?y=%20z',
    format: 'ndjson',
    headersFile: null,
  });
  expect(engine({ ...other, LOG_SHIP_FORMAT: 'loki' })?.engine.format).toBe('loki');
});

test('a site must not reach the file of headers', () => {
  const env = { LOG_SHIP_URL: 'http://logs', LOG_SHIP_HEADERS_FILE: '/etc/headers' };
  const readFile = () => 'X-Scope: home';
  const { agent } = readSettings('all', env, { ...machine, readFile });
  expect(agent.proxy.ownPaths).toContain('/etc/headers');
});
