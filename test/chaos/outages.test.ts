// proof: chaos
/**
 * Outages of every kind at the same time: each makes one message when it begins, and one when it is
 * over, both within the contract's limit, at the real pace of hub and agents. `bun run bench outages`
 * makes more of them.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mayMount } from '../harness/mount.ts';
import { NTFY, type Ntfy, startNtfy } from '../harness/ntfy.ts';
import { limit } from '../harness/speed.ts';
import { until } from '../harness/stack.ts';
import { arrivedAt, lineOf } from './inbox.ts';
import { runOutage, startWorld, type World } from './outage-world.ts';
import {
  cutAgent,
  endUpstream,
  expireCertificate,
  fillDisk,
  type Outage,
  stopCaddy,
} from './outages.ts';

/** Both messages may take a minute, and the start is that of seven processes. */
const TIMEOUT_MS = limit(180_000);
const TOPIC = 'outages';

let world: World;
let ntfy: Ntfy | undefined;
beforeAll(async () => {
  world = await startWorld(
    ['cut', 'stopped', 'hung'],
    [
      ...(['upstream.down', 'certificate.ending', 'agent.unreachable'] as const),
      ...(['proxy.down', 'disk.full'] as const),
    ],
    true,
  );
  if (NTFY === null) return;
  ntfy = await startNtfy();
  const { url, token } = ntfy;
  const { status } = await world.fleet.call('POST', '/channels', {
    name: 'phone',
    kind: 'ntfy',
    events: ['proxy.down'],
    target: { url, topic: TOPIC, token },
  });
  expect(status).toBe(201);
}, TIMEOUT_MS);
afterAll(async () => {
  await world.stop();
  await ntfy?.stop();
});

test(
  'each outage makes exactly one message when it begins, and one when it is over',
  async () => {
    const { fleet, receiver } = world;
    const [local, cut, stopped, hung] = fleet.sites;
    if (!local || !cut || !stopped || !hung) throw new Error('an agent is missing');
    const outages: Outage[] = [
      await endUpstream(fleet, 'one.example'),
      await endUpstream(fleet, 'two.example'),
      await expireCertificate(fleet, 'secure.example'),
      cutAgent(cut, 'refuses'),
      cutAgent(hung, 'hangs'),
      stopCaddy(stopped),
      ...(mayMount ? [fillDisk(local.folder, local.name)] : []),
    ];
    const delays = await Promise.all(outages.map((outage) => runOutage(world, outage)));
    console.log(
      outages.map(({ event }, at) => `${event} ${JSON.stringify(delays[at])}`).join('\n'),
    );
    await world.calm();
    const wanted = outages.flatMap(({ event, about }) =>
      ['began', 'over'].map((state) => ({ event, about, state })),
    );
    const seen = arrivedAt(receiver);
    for (const { event, about, state } of wanted) {
      const same = seen.filter((one) => one.event === event && one.state === state);
      expect(same.filter((one) => one.about.includes(about)).map(lineOf)).toHaveLength(1);
    }
    expect(seen.map(lineOf)).toHaveLength(wanted.length);
    const phone = ntfy;
    if (phone) {
      // No channel waits for another one.
      const both = async () => (await phone.messages(TOPIC)).length > 1;
      await until(both, 'both messages of the phone', 60_000);
      const titles = (await phone.messages(TOPIC)).map(({ title }) => title);
      expect(titles).toEqual(['stopped: Caddy is down', 'stopped: Caddy is up again']);
    }
  },
  TIMEOUT_MS,
);
