/**
 * Changes on three proxies: compared with changes on one, while an agent is stopped (SIGSTOP), and how
 * soon that one, and one that was just enrolled, serve what is stored. All of them share the cores of
 * this machine, so three hubs with a proxy each, which change at once, show what it allows.
 */
import { type Processes, type Site, startProcesses } from '../harness/fleet-processes.ts';
import { until } from '../harness/stack.ts';
import { addSites } from './sites.ts';
import { median, ms, printTable, ratio, sortedPercentiles, timed } from './table.ts';

const SIZES = (process.env.BENCH_VHOSTS ?? '10,1000').split(',').map(Number);
const ROUNDS = 15;
const FRESH_SITES = 100;
/** Of as many changes with an agent stopped and without, by turns. */
const BLOCKS = 10;
const CHANGES = 30;

export async function run(): Promise<void> {
  const rows: string[][] = [];
  for (const size of SIZES) {
    const [three, one, ...others] = [
      await startProcesses(['twin', 'vps']),
      await startProcesses([]),
      await startProcesses([]),
      await startProcesses([]),
    ];
    for (const fleet of [three, one, ...others]) await fill(fleet, size);
    const [alone, together, apart] = await compare([
      () => create(one),
      () => create(three),
      () => Promise.all([one, ...others].map(create)),
    ] as const);
    rows.push([
      String(size),
      ms(alone),
      ms(together),
      ratio(together, alone),
      ms(apart),
      ratio(together, apart),
    ]);
    for (const fleet of [three, one, ...others]) await fleet.stop();
  }
  console.log(`Create to answer, ms, medians of ${ROUNDS}`);
  printTable(['vhosts', 'one proxy', 'three', 'to one', 'three hubs at once', 'to these'], rows);
  const more = [...(await stopped()), ...(await elsewhere()), ...(await enrolled())];
  printTable(['three proxies, 10 vhosts', ''], more);
}

/** Creates this many sites. */
const fill = ({ api, headers }: Processes, size: number) => addSites({ hub: api, headers }, size);

let number = 0;
const site = () => ({ domain: `http://new-${number++}.example`, config: 'respond new' });

/** @returns the names of those that lack it */
async function create(fleet: Processes): Promise<string> {
  const { status, text, body } = await fleet.call<{ behind?: string[] }>('POST', '/vhosts', site());
  if (status !== 201) throw new Error(text);
  return body.behind?.join() ?? '';
}

/** All of them in each round, so that a noisy moment affects them equally. @returns the medians */
async function compare<T extends readonly (() => Promise<unknown>)[]>(calls: T) {
  const took: number[][] = calls.map(() => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [at, call] of calls.entries()) {
      const one = await timed(call);
      // In the first round everything is cold.
      if (round > 0) took[at]?.push(one);
      await Bun.sleep(150);
    }
  }
  return took.map(median) as { [at in keyof T]: number };
}

async function stopped(): Promise<string[][]> {
  const fleet = await startProcesses(['twin', 'vps']);
  const two = await startProcesses(['twin']);
  await Promise.all([fill(fleet, 10), fill(two, 10)]);
  const twin = fleet.sites[1] as Site;
  twin.agent.freeze();
  const first = await timed(async () => {
    if ((await create(fleet)) !== 'twin') throw new Error('twin is not behind');
  });
  const [healthy, further] = await compare([() => create(two), () => create(fleet)] as const);
  twin.agent.thaw();
  const back = await timed(() => inStep(fleet, 'twin'));
  await fleet.stop();
  await two.stop();
  return [
    ['first change with an agent stopped', `${ms(first)} ms`],
    ['further changes', `${ms(further)} ms, ${ratio(further, healthy)} two proxies`],
    ['in step after it goes on', `${ms(back)} ms`],
  ];
}

/** Changes of a site that the stopped agent does not have, from the moment it is stopped. */
async function elsewhere(): Promise<string[][]> {
  const fleet = await startProcesses(['twin', 'vps']);
  await fill(fleet, 10);
  const twin = fleet.sites[1] as Site;
  const path = `/vhosts/${(await placed(fleet, 'POST', '/vhosts', 0)).id}`;
  const [beside, healthy]: [number[], number[]] = [[], []];
  for (let block = 0; block < BLOCKS; block++) {
    for (const [times, isStopped] of [[healthy, false] as const, [beside, true] as const]) {
      if (isStopped) twin.agent.freeze();
      for (let round = 0; round < CHANGES; round++) {
        times.push(await timed(() => placed(fleet, 'PUT', path, ++number)));
        await Bun.sleep(100);
      }
      if (isStopped) twin.agent.thaw();
      await inStep(fleet, 'twin');
    }
  }
  await fleet.stop();
  const [p50, p99] = sortedPercentiles(beside);
  const [usual, slowest] = sortedPercentiles(healthy);
  const row = (of: string, one: number, other: number) => [
    `a change of a site it does not have, ${of}`,
    `${ms(one)} ms, ${ratio(one, other)} without`,
  ];
  return [row('p50', p50, usual), row('p99', p99, slowest)];
}

async function placed(fleet: Processes, method: string, path: string, text: number) {
  const json = { domain: 'http://vps.example', config: `respond ${text}`, agents: ['vps'] };
  const { status, text: answer, body } = await fleet.call<{ id: number }>(method, path, json);
  if (status >= 300) throw new Error(answer);
  return body;
}

async function inStep(fleet: Processes, name: string): Promise<void> {
  await until(async () => {
    const { body } = await fleet.call<{ state: string }>('GET', `/agents/${name}`);
    return body.state === 'in-step';
  }, name);
}

/** From the start of an agent with `--invite` until it serves the last of the sites. */
async function enrolled(): Promise<string[][]> {
  const fleet = await startProcesses([]);
  await fill(fleet, FRESH_SITES);
  await create(fleet);
  const last = `new-${number - 1}.example`;
  const took = await timed(async () => {
    const fresh = await fleet.add('fresh');
    await until(async () => (await fresh.served(last))?.text === 'new', last);
  });
  await fleet.stop();
  return [[`enrolment until ${FRESH_SITES} sites are served`, `${ms(took)} ms`]];
}
