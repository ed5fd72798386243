/** Who used a site through one proxy and is refused by another: found in the logs of both. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { startFleet } from '../../harness/fleet.ts';
import { forFile } from '../../harness/for-file.ts';
import { QUICK } from '../../harness/pace.ts';
import { limit } from '../../harness/speed.ts';
import { until } from '../../harness/stack.ts';
import { linesOf, type Visitor } from './visitors.ts';

setDefaultTimeout(limit(60_000));
const env = { SIGNALBOX_FEATURES: 'doors', UPSTREAM_PROBE: 'false' };
const own = { ...QUICK.hub.own, doors: { look: 100 } };
const fleet = await forFile(startFleet(['edge'], env, { ...QUICK, hub: { ...QUICK.hub, own } }));
const LOGS = { local: fleet.stack.accessLog, edge: fleet.other('edge').env.ACCESS_LOG };

const FRIEND = '203.0.113.5';
const STRANGER = '203.0.113.66';
const BACK = '203.0.113.77';
const ELSEWHERE = '203.0.113.88';

/** Adds a request to the log of a proxy. @param ago days */
function log(at: keyof typeof LOGS, name: string, ip: string, status: number, ago = 0): void {
  mkdirSync(dirname(LOGS[at]), { recursive: true });
  const visitor: Visitor = {
    ip,
    way: 'directly',
    statuses: [status],
    ago,
    name: `${name}.example`,
  };
  appendFileSync(LOGS[at], linesOf(visitor, Date.now() / 1_000).join(''));
}

async function create(name: string, agents?: string[]): Promise<number> {
  const json = {
    domain: `http://${name}.example`,
    config: 'respond ok',
    ...(agents && { agents }),
  };
  const { status, body, text } = await fleet.call<{ id: number }>('POST', '/vhosts', json);
  if (status !== 201) throw new Error(text);
  return body.id;
}

test('strangers to all of them are no problem, nor is who got in again by either, but all others', async () => {
  const site = await create('site');
  const placed = await create('placed', ['edge']);
  for (const ip of [FRIEND, BACK]) log('local', 'site', ip, 200, 40);
  // That proxy does not serve it.
  log('local', 'placed', ELSEWHERE, 200, 40);
  const { status } = await fleet.call('POST', '/doors/close', { vhosts: [site, placed] });
  expect(status).toBe(200);
  for (const ip of [STRANGER, BACK]) log('edge', 'site', ip, 403);
  log('edge', 'placed', ELSEWHERE, 403);
  log('local', 'site', BACK, 200);
  log('edge', 'site', FRIEND, 403);
  const found = await until(async () => {
    const { body } = await fleet.call<{ problems: { code: string; message: string }[] }>(
      'GET',
      '/status',
    );
    const problems = body.problems.filter(({ code }) => code === 'SHUT_OUT');
    return problems.length > 0 && problems.map(({ message }) => message);
  }, 'the problem');
  expect(found).toEqual([expect.stringContaining(`${FRIEND} used the site before`)]);
  expect(found.join()).not.toMatch(
    new RegExp([STRANGER, BACK, ELSEWHERE].map(RegExp.escape).join('|')),
  );
});
