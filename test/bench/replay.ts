/**
 * The time of a replay of 20,000 distinct requests, and what other visitors notice of it: 200 requests per
 * second through the live Caddy, with and without a replay by turns.
 */
import { readdirSync } from 'node:fs';
import { startReplayingAgent } from '../caddy/agent/replay/agent.ts';
import { ANY, accessLog } from '../caddy/agent/replay/traffic.ts';
import { caddyIs } from '../harness/caddys.ts';
import { median, ms, printTable, ratio, sortedPercentiles } from './table.ts';

const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 20_000);
const SITES = 40;
const ROUNDS = 5;
const A_SECOND = 200;

export async function run(): Promise<void> {
  const upstream = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response('hello'),
  });
  const agent = await startReplayingAgent(true);
  const guard = `@strangers not remote_ip ${ANY.home
    .map((ip) => `${ip}/32`)
    .slice(0, 3)
    .join(' ')}`;
  const text = (guarded: boolean) =>
    `{\n\thttp_port ${agent.ports.http}\n\thttps_port ${agent.ports.https}\n\tskip_install_trust\n}\n${Array.from(
      { length: SITES },
      (_, at) =>
        `http://site${at}.example {\n${guarded && at % 4 === 0 ? `\t${guard}\n\trespond @strangers 403\n` : ''}\treverse_proxy 127.0.0.1:${upstream.port}\n}\n`,
    ).join('')}`;
  await agent.publish(text(false));
  agent.log(logOf(REQUESTS));

  const alone: number[] = [];
  const beside: number[] = [];
  const times: number[] = [];
  let differ = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let over = false;
    const from = performance.now();
    const visits = visit(agent.ports.http, () => over);
    const state = await agent.replay(text(true), { requests: REQUESTS });
    times.push(performance.now() - from);
    over = true;
    if (state.state !== 'done') throw new Error(state.detail);
    if (state.done !== REQUESTS) throw new Error(`${state.done} of ${REQUESTS} compared`);
    ({ differ } = state);
    beside.push(sortedPercentiles(await visits)[1]);
    const end = performance.now() + Math.max(5_000, times.at(-1) ?? 0);
    alone.push(sortedPercentiles(await visit(agent.ports.http, () => performance.now() > end))[1]);
  }
  const left = readdirSync(`${agent.dataDir}/caddy`).filter((name) => name.startsWith('trial-'));
  if (left.length > 0) throw new Error(`left: ${left}`);
  await agent.stop();
  await upstream.stop(true);
  console.log(
    `A replay of ${REQUESTS} distinct requests to ${SITES} sites, of which ${differ} differ, beside ${A_SECOND} requests per second; medians of ${ROUNDS}`,
  );
  const [without, within] = [median(alone), median(beside)];
  printTable(
    ['replay, s', 'slowest, s', 'p99 of visitors alone, ms', 'beside it, ms', 'grows to'],
    [
      [
        (median(times) / 1_000).toFixed(1),
        (Math.max(...times) / 1_000).toFixed(1),
        ms(without),
        ms(within),
        ratio(within, without),
      ],
    ],
  );
}

/** Each distinct, by 200 visitors, as Caddy would have logged them. */
function logOf(requests: number): string {
  const now = Math.floor(Date.now() / 1_000);
  return accessLog(
    Array.from({ length: requests }, (_, at) => ({
      tls: false,
      method: 'GET',
      host: `site${at % SITES}.example`,
      uri: `/a/${at}?v=${at}`,
      ip: `192.168.${at % 2}.${(at * 7) % 100}`,
      headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101' },
      times: [now - 60 - 3 * at],
    })),
    caddyIs('>=2.7.0'),
  );
}

/** Sends them evenly, whether or not the ones before were answered. @returns how long each took, in ms */
async function visit(port: number, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  const open = new Set<Promise<void>>();
  const from = performance.now();
  for (let at = 0; !isOver(); at++) {
    const due = from + (at * 1_000) / A_SECOND;
    const wait = due - performance.now();
    if (wait > 0) await Bun.sleep(wait);
    const one = fetch(`http://127.0.0.1:${port}/now/${at}`, { headers: { Host: 'site1.example' } })
      .then((response) => response.text())
      .then(() => void times.push(performance.now() - due))
      .finally(() => open.delete(one));
    open.add(one);
  }
  await Promise.all(open);
  return times;
}
