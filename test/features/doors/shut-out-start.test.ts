/** Who is refused since a site was closed is known soon after a hub starts, so that its incident goes on. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { QUICK } from '../../harness/pace.ts';
import { limit } from '../../harness/speed.ts';
import { until } from '../../harness/stack.ts';

setDefaultTimeout(limit(60_000));

const own = { ...QUICK.hub.own, doors: { look: 3_600_000, tick: 100 } };
const owner = await forFile(
  startOwner({ SIGNALBOX_FEATURES: 'doors', UPSTREAM_PROBE: 'false' }, undefined, {
    ...QUICK,
    hub: { ...QUICK.hub, own },
  }),
);

/** Adds a request to Caddy's log. @param at milliseconds since 1970 */
function log(status: number, at: number): void {
  const request = { remote_ip: '203.0.113.5', method: 'GET', host: 'shut.example', uri: '/' };
  const line = { level: 'info', ts: at / 1_000, logger: 'http.log.access', msg: 'handled request' };
  mkdirSync(dirname(owner.stack.accessLog), { recursive: true });
  const entry = { ...line, request: { ...request, headers: {} }, duration: 0.001, size: 1, status };
  appendFileSync(owner.stack.accessLog, `${JSON.stringify(entry)}\n`);
}

test('a hub that starts looks at once, and not after half an hour', async () => {
  log(200, Date.now() - 86_400_000);
  const { id } = await owner.create('shut');
  expect((await owner.call('POST', '/doors/close', { vhosts: [id] })).status).toBe(200);
  log(403, Date.now());
  await owner.stack.restart();
  await until(async () => {
    const { body } = await owner.call<{ problems: { code: string }[] }>('GET', '/status');
    return body.problems.some(({ code }) => code === 'SHUT_OUT');
  }, 'the problem');
});
