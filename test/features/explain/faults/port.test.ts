// proof: faults
/** Ports that Caddy does not get: of a site that is there, and of one that would be. */
import { expect, test } from 'bun:test';
import { forFile } from '../../../harness/for-file.ts';
import { freePort, until } from '../../../harness/stack.ts';
import { startHouse } from '../house.ts';
import { rawPort } from '../services/listening.ts';
import { judged } from './staged.ts';

const house = await forFile(startHouse());
const { stops } = house.place;
const HELD = { cause: 'PORT_HELD' } as const;

test('a port that another program took while Caddy was down: PORT_HELD', async () => {
  const port = freePort();
  const domain = `http://held.example:${port}`;
  const { id } = await house.add({ domain, config: 'respond up' });
  expect((await house.explain({ vhost: id })).verdict).toBe('works');
  let taken: Promise<number> | undefined;
  await house.stack.restart(() => {
    taken = rawPort(stops, (socket) => socket.destroy(), port);
  });
  await taken;
  const isHeld = async () => (await house.explain({ vhost: id })).verdict === 'fails';
  await until(isHeld, 'a port that is held', 30_000);
  judged(HELD, await house.explain({ vhost: id }));
});

test('a port that another program holds, for a site that is only planned: PORT_HELD', async () => {
  const port = await rawPort(stops, () => {});
  const domain = `http://planned.example:${port}`;
  const operation = { op: 'create', domain, config: 'respond up' };
  judged(HELD, await house.explain({ operation }));
});
