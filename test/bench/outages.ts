/**
 * Outages of every kind, one after the other of each kind and all kinds at the same time: how soon a
 * real receiver has the message that one began, and the one that it is over, and whether it got each of
 * them once. BENCH_OUTAGES sets how many of each kind; ten take about ten minutes. Needs root for the
 * disks.
 */
import { arrivedAt } from '../chaos/inbox.ts';
import { type Delays, runOutage, startWorld, type World } from '../chaos/outage-world.ts';
import {
  cutAgent,
  endUpstream,
  expireCertificate,
  fillDisk,
  type Outage,
  stopCaddy,
} from '../chaos/outages.ts';
import type { Site } from '../harness/fleet-processes.ts';
import { mayMount } from '../harness/mount.ts';
import { CUTS } from '../harness/relay.ts';
import { median, printTable } from './table.ts';

const EACH = Number(process.env.BENCH_OUTAGES ?? 10);
/** What begins a third time within ten minutes is reported as flapping. */
const AGENTS = Math.ceil(EACH / 2);

/** Makes the outage with this number, and says which agent it is about; null: the first, which goes on. */
type Kind = (number: number) => Promise<{ outage: Outage; agent: Site | null }>;

export async function run(): Promise<void> {
  const names = Array.from({ length: AGENTS }, (_, at) => `agent-${at}`);
  const events = [
    ...(['upstream.down', 'certificate.ending', 'agent.unreachable'] as const),
    ...(['proxy.down', 'disk.full'] as const),
  ];
  const world = await startWorld(names, events);
  try {
    const busy = createLocks();
    const delays = await Promise.all(kindsOf(world).map((kind) => runLane(world, kind, busy)));
    await world.calm();
    const rows = delays.map((lane) => rowOf(world, lane));
    console.log('Outages: seconds to the message that one began, and that it is over');
    printTable(['event', 'outages', 'began', 'at most', 'over', 'at most', 'messages'], rows);
  } finally {
    await world.stop();
  }
}

/** Each begins elsewhere in the row of agents, so that they seldom wait for each other. */
function kindsOf({ fleet }: World): Kind[] {
  const [, ...others] = fleet.sites;
  const from = (number: number) => others[number % others.length] as Site;
  return [
    async (at) => ({ outage: await endUpstream(fleet, `up-${at}.example`), agent: null }),
    async (at) => ({ outage: await expireCertificate(fleet, `tls-${at}.example`), agent: null }),
    async (at) => {
      const agent = from(at);
      return { outage: cutAgent(agent, CUTS[at % CUTS.length] ?? 'refuses'), agent };
    },
    async (at) => {
      const agent = from(at + 2);
      return { outage: stopCaddy(agent), agent };
    },
    ...(mayMount
      ? [
          async (at: number) => {
            const agent = from(at + 4);
            return { outage: fillDisk(agent.folder, agent.name), agent };
          },
        ]
      : []),
  ];
}

type Lane = { event: string; delays: Delays[] };

async function runLane(world: World, kind: Kind, busy: Locks): Promise<Lane> {
  const delays: Delays[] = [];
  let event = '';
  for (let number = 0; number < EACH; number++) {
    const { outage, agent } = await kind(number);
    event = outage.event;
    delays.push(await busy(agent?.name ?? null, () => runOutage(world, outage)));
  }
  return { event, delays };
}

type Locks = <T>(name: string | null, work: () => Promise<T>) => Promise<T>;

/** What is not known of an agent that is away would be reported too late, so it has one outage at a time. */
function createLocks(): Locks {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    if (name === null) return work();
    const mine = (last.get(name) ?? Promise.resolve()).then(work);
    last.set(
      name,
      mine.catch(() => {}),
    );
    return mine;
  };
}

function rowOf({ receiver }: World, { event, delays }: Lane): string[] {
  const seconds = (value: number) => (value / 1000).toFixed(1);
  const columns = (['began', 'over'] as const).flatMap((side) => {
    const took = delays.map((one) => one[side]);
    return [seconds(median(took)), seconds(Math.max(...took))];
  });
  const messages = arrivedAt(receiver).filter((one) => one.event === event).length;
  return [event, String(delays.length), ...columns, `${messages} of ${2 * delays.length}`];
}
