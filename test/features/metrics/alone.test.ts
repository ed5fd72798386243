/** Metrics without any other feature. */
import { expect, test } from 'bun:test';
import { readExposition, sampleOf } from '../../harness/exposition.ts';
import { startOwner } from '../../harness/owner.ts';
import { QUICK } from '../../harness/pace.ts';
import { ask, freePort, until } from '../../harness/stack.ts';

test('an incident is counted, and of messages nothing is said', async () => {
  const owner = await startOwner({ SIGNALBOX_FEATURES: 'metrics' }, undefined, QUICK);
  try {
    const upstream = `127.0.0.1:${freePort()}`;
    const site = { domain: 'http://down.example', config: 'reverse_proxy {upstream}', upstream };
    await owner.call('POST', '/vhosts', site);
    await until(async () => {
      const { body } = await owner.call<{ event: string }[]>('GET', '/incidents');
      return body.length > 0;
    }, 'an incident');
    const { text } = await ask(owner.stack.hub.replace(/\/api$/, '/metrics'));
    const numbers = readExposition(text);
    expect(sampleOf(numbers, 'signalbox_incidents_open', 'event="upstream.down"')).toBe(1);
    expect([...numbers.keys()]).not.toContain('signalbox_notifications_total');
  } finally {
    await owner.stack.stop();
  }
});
