/**
 * No proposal shuts out anyone whom the log knows: generated sites and logs of one proxy or two, whole and short. That
 * Caddy sees the addresses as `ADDRESSES` says is shown in test/caddy/hub/doors/closing.test.ts.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogs } from '../../../agent/logs/logs.ts';
import { createFindings } from '../../../src/features/doors/findings.ts';
import { rowsOf } from '../../../src/features/doors/rows.ts';
import { TRIAL } from '../../../src/features/doors/wire.ts';
import { some } from '../../harness/full.ts';
import { seededRandom } from '../../harness/random.ts';
import { limit } from '../../harness/speed.ts';
import { temporaryFolder } from '../../harness/stack.ts';
import { storedVhost } from '../../harness/vhost.ts';
import { ADDRESSES, isLetIn, linesOf, type Visitor, visitorsOf } from './visitors.ts';

setDefaultTimeout(limit(600_000));
const HOUSES = some(300, 3_000, 'DOORS_LOGS');
const SITES = 6;
const NOW = new Date('2026-11-28T12:00:00Z');
const folder = temporaryFolder();

type Known = { domain: string; visitors: Visitor[] };

async function proposalsOf(number: number) {
  const random = seededRandom((number + 1) * 7_919);
  const days = random.pick([20, 29, 31, 60, 89]);
  const agents = Array.from({ length: 1 + random.below(2) }, (_, id) => ({ id, name: `a${id}` }));
  const known = new Map<number, Known>();
  const lines = agents.map((): string[] => []);
  const vhosts = Array.from({ length: SITES }, (_, at) => {
    const [own, alias] = [`s${at}.example`, `s${at}.alias.example`];
    const isWild = random.below(6) === 0;
    const domain = isWild ? `*.w${at}.example` : own;
    const names: [string, ...string[]] = isWild ? [`x.w${at}.example`] : [own, alias];
    const placed = random.below(3) === 0 ? [random.below(agents.length)] : [];
    const visitors = visitorsOf(random, names, days);
    for (const one of visitors) {
      const by = placed[0] ?? random.below(agents.length);
      lines[by]?.push(...linesOf(one, NOW.getTime() / 1_000));
    }
    known.set(at, { domain, visitors });
    const block = `http://${own}, http://${alias} {\nreverse_proxy 127.0.0.1:1\n}`;
    const config = isWild ? 'reverse_proxy 127.0.0.1:1' : block;
    return storedVhost({ id: at, domain: `http://${domain}`, config, agents: placed });
  });
  const logs = agents.map(({ name }, at) => {
    const file = join(folder, `${number}-${name}.log`);
    const first: Visitor = { ip: '::1', way: 'directly', statuses: [200], ago: days, name: 'none' };
    writeFileSync(file, [...linesOf(first, NOW.getTime() / 1_000), ...(lines[at] ?? [])].join(''));
    return createLogs({ file, timeout: 20_000 });
  });
  const named = (name: string) => {
    const id = agents.findIndex((one) => one.name === name);
    const from = NOW.getTime() - 90 * 86_400_000;
    const send = async (call: object, body: { places: []; sites: string[][] }) =>
      call === TRIAL
        ? { places: body.places.map(() => [{ path: '/', opensTo: 'anyone', status: 200 }]) }
        : logs[id]?.visits({ sites: body.sites, from }, new AbortController().signal);
    return { id, client: { send }, gateway: { published: () => '' }, version: () => null };
  };
  const set = { vhosts, agents, policies: [], preamble: '' } as never;
  const publisher = { targets: { named } } as never;
  const findings = await createFindings({ publisher, elapsed: () => 0 }).of(set, 90);
  for (const log of logs) log.close();
  const rows = rowsOf(findings, { set, now: NOW, days: 90, knowsVisitors: true });
  const proposed = rows.flatMap(({ vhost, proposal }) => {
    const site = known.get(vhost);
    return proposal && site ? [site] : [];
  });
  return { proposed, days, sites: [...known.values()] };
}

const isFromHome = ({ ip, way }: Visitor) => way !== 'new hop' && ADDRESSES[ip] === true;

test('a site that somebody got in to who is not at home is never proposed', async () => {
  let [quiet, found] = [0, 0];
  for (let number = 0; number < HOUSES; number++) {
    const { proposed, days, sites } = await proposalsOf(number);
    const wrong = proposed.filter(({ visitors }) =>
      visitors.some((one) => isLetIn(one) && !isFromHome(one)),
    );
    expect([number, days, wrong]).toEqual([number, days, []]);
    if (days < 30) expect(proposed).toEqual([]);
    found += proposed.length;
    if (days >= 30) {
      quiet += sites.filter(
        ({ visitors }) => visitors.filter(isLetIn).every(isFromHome) && visitors.some(isFromHome),
      ).length;
    }
  }
  console.log(`${HOUSES} logs, ${found} proposals of ${quiet} that were possible`);
  expect(found).toBe(quiet);
});
