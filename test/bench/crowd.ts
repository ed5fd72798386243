/**
 * Many people at once: readers, each of which asks for the list of sites and their states by turns, as a
 * dashboard does, while writers change a site of their own again and again; compared, in the same run, with
 * the same writers alone.
 */
import { startProcesses } from '../harness/fleet-processes.ts';
import { addSites } from './sites.ts';
import { ms, printTable, ratio, sortedPercentiles, timed } from './table.ts';

const SITES = Number(process.env.BENCH_VHOSTS ?? 1_000);
const READERS = 200;
const WRITERS = 20;
/** Between an answer and the next question of a reader or writer. */
const PAUSE_MS = 1_000;
const LASTS_MS = 20_000;

export async function run(): Promise<void> {
  const fleet = await startProcesses([], true);
  await addSites({ hub: fleet.api, headers: fleet.headers }, SITES);
  const { body: sites } = await fleet.call<{ id: number; domain: string }[]>('GET', '/vhosts');

  let [until, round] = [0, 0];
  /** Does something again and again; does not begin with everybody else. */
  async function keepOn(times: number[], act: () => Promise<void>): Promise<void> {
    await Bun.sleep(Math.random() * PAUSE_MS);
    while (performance.now() < until) {
      times.push(await timed(act));
      await Bun.sleep(PAUSE_MS);
    }
  }
  const change = (at: number) => async () => {
    const { id, domain } = sites[at] ?? { id: 0, domain: '' };
    const json = { domain, config: `respond ${++round}` };
    const { status, text } = await fleet.call('PUT', `/vhosts/${id}`, json);
    if (status !== 200) throw new Error(text);
  };
  /** The list by turns with the states of its sites, if they have changed. */
  function reader(): () => Promise<void> {
    let [tag, turn] = ['', 0];
    return async () => {
      const path = turn++ % 2 === 0 ? '/vhosts' : '/vhosts/state';
      const answer = await fetch(`${fleet.api}${path}`, {
        headers: { ...fleet.headers, 'Accept-Encoding': 'gzip', 'If-None-Match': tag },
        decompress: false,
      });
      // Not parsed: a browser has a machine of its own for that.
      await answer.arrayBuffer();
      if (answer.status !== 200 && answer.status !== 304) throw new Error(`HTTP ${answer.status}`);
      tag = answer.headers.get('ETag') ?? tag;
    };
  }
  async function crowd(readers: number): Promise<{ changes: number[]; reads: number[] }> {
    const [changes, reads]: [number[], number[]] = [[], []];
    until = performance.now() + LASTS_MS;
    await Promise.all([
      ...Array.from({ length: WRITERS }, (_, at) => keepOn(changes, change(at))),
      ...Array.from({ length: readers }, () => keepOn(reads, reader())),
    ]);
    return { changes, reads };
  }

  await crowd(1);
  const [alone, beside] = [await crowd(0), await crowd(READERS)];
  await fleet.stop();
  const row = (name: string, times: number[]): string[] => {
    const [p50, p99] = sortedPercentiles(times);
    return [name, String(times.length), ms(p50), ms(p99)];
  };
  const [usual] = sortedPercentiles(alone.changes);
  const [crowded] = sortedPercentiles(beside.changes);
  console.log(`${SITES} sites, ${WRITERS} writers, ${READERS} readers; ms`);
  printTable(
    ['', 'answers', 'p50', 'p99'],
    [
      row('a change, nobody reads', alone.changes),
      row(`a change, ${ratio(crowded, usual)} that`, beside.changes),
      row('a read', beside.reads),
    ],
  );
}
