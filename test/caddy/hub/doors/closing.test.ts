// proof: hub
/**
 * Nobody whom the log knows is shut out by a proposal: generated sites are closed as proposed, and everyone comes again
 * to the Caddy that visitors reach. Those who are shut out by closing the others are named, and nobody else.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync } from 'node:fs';
import {
  ADDRESSES,
  HOP,
  isLetIn,
  linesOf,
  MAPPED,
  NEW_HOP,
  type Visitor,
  visitorsOf,
} from '../../../features/doors/visitors.ts';
import { inDatabase } from '../../../harness/database.ts';
import { forFile } from '../../../harness/for-file.ts';
import { some } from '../../../harness/full.ts';
import { QUICK } from '../../../harness/pace.ts';
import { seededRandom } from '../../../harness/random.ts';
import { limit } from '../../../harness/speed.ts';
import { until } from '../../../harness/stack.ts';
import { knowsAddresses, startHouse } from './house.ts';

setDefaultTimeout(limit(120_000));
const SITES = some(60, 200, 'DOORS_SITES');
const DAYS = 80;
const DAY_MS = 86_400_000;

const own = { ...QUICK.hub.own, doors: { look: 100 } };
const house = await forFile(startHouse({ ...QUICK, hub: { ...QUICK.hub, own } }));
const { accessLog, dataDir, restart } = house.stack;

type Site = { id: number; domain: string; visitors: Visitor[] };
type Problem = { code: string; vhost?: { id: number }; message: string };

async function send<T>(method: string, path: string, json?: object): Promise<T> {
  const { status, body, text } = await house.call<T>(method, path, json);
  if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
  return body;
}

/** Comes by the way by which they came before. */
const comes = ({ ip, way, name }: Visitor) =>
  house.visit(`http://${name}`, '/', {
    as: { directly: ip, hop: HOP, 'new hop': NEW_HOP }[way],
    headers: way === 'directly' ? [] : [`X-Forwarded-For: ${ip}`],
  });

const close = (sites: readonly Site[]) =>
  send('POST', '/doors/close', { vhosts: sites.map(({ id }) => id) });

/** Sites that were there for long, with a log of their visitors. */
async function createSites(): Promise<Site[]> {
  const random = seededRandom(some(1, 1, 'DOORS_SEED') * 7_919);
  const known = Array.from({ length: SITES }, (_, at) => {
    const names: [string, string] = [`s${at}.example`, `alias.s${at}.example`];
    return { names, visitors: visitorsOf(random, names, DAYS) };
  });
  const { results } = await send<{ results: { id: number }[] }>('POST', '/vhosts/bulk', {
    operations: known.map(({ names: [own, alias] }) => ({
      op: 'create',
      domain: `http://${own}`,
      config: `http://${own}, http://${alias} {\n\treverse_proxy {upstream}\n}`,
      upstream: house.upstream,
    })),
  });
  await restart(() =>
    inDatabase(dataDir, (db) =>
      db.run('UPDATE vhosts SET created_at = ?', [Date.now() - 90 * DAY_MS]),
    ),
  );
  const now = Date.now() / 1_000;
  const first: Visitor = { ip: '::1', way: 'directly', statuses: [200], ago: DAYS, name: 'none' };
  const all = [first, ...known.flatMap(({ visitors }) => visitors)];
  appendFileSync(accessLog, all.flatMap((one) => linesOf(one, now)).join(''));
  return known.map(({ names: [domain], visitors }, at) => ({
    id: results[at]?.id ?? 0,
    domain,
    visitors,
  }));
}

/** What came of the visits of all who came before. */
async function comeAgain(sites: readonly Site[]) {
  const found: { site: Site; one: Visitor; isIn: boolean }[] = [];
  for (const site of sites) {
    for (const one of site.visitors) {
      found.push({ site, one, isIn: (await comes(one)) === 'anyone' });
    }
  }
  return found;
}

test.if(knowsAddresses)('nobody who got in before a proposal is refused after it', async () => {
  const { config } = await send<{ config: string }>('GET', '/preamble');
  await send('PUT', '/preamble', { config, trustedProxies: [HOP, NEW_HOP] });
  const sites = await createSites();
  const proposed = new Set(
    [...(await house.doors()).values()].flatMap(({ vhost, proposal }) => (proposal ? vhost : [])),
  );
  const [closed, others] = [
    sites.filter(({ id }) => proposed.has(id)),
    sites.filter(({ id }) => !proposed.has(id)),
  ];
  expect([closed.length > SITES / 4, others.length > SITES / 8]).toEqual([true, true]);
  await close(closed);
  const again = await comeAgain(closed);
  expect(again.filter(({ one, isIn }) => isLetIn(one) && !isIn)).toEqual([]);
  // Caddy lets in whom `ADDRESSES` calls at home.
  const name = closed[0]?.domain ?? '';
  for (const ip of [...Object.keys(ADDRESSES), ...MAPPED]) {
    const isMapped = !(ip in ADDRESSES);
    const got = await comes({ ip, way: isMapped ? 'hop' : 'directly', statuses: [], ago: 0, name });
    expect([ip, got === 'anyone']).toEqual([ip, ADDRESSES[ip] ?? false]);
  }

  await close(others);
  const shut = (await comeAgain(others)).filter(({ isIn }) => !isIn);
  const expected = shut.flatMap(({ site, one }) => {
    const wasServed = one.statuses.some((status) => status >= 200 && status < 400);
    // The log has the address of the proxy that was not trusted then.
    return wasServed && one.way !== 'new hop' ? `${site.id} ${one.ip}` : [];
  });
  expect(expected.length).toBeGreaterThan(SITES / 12);
  const named = async () => {
    const { problems } = await send<{ problems: Problem[] }>('GET', '/status');
    return problems
      .filter(({ code }) => code === 'SHUT_OUT')
      .flatMap(({ vhost, message }) =>
        [...Object.keys(ADDRESSES), ...MAPPED]
          .filter((ip) =>
            new RegExp(`(?<![\\w:.])${RegExp.escape(ip)}(?![\\w:]|\\.\\d)`).test(message),
          )
          .map((ip) => `${vhost?.id} ${ip}`),
      );
  };
  await until(async () => (await named()).length >= expected.length, 'all of them');
  expect((await named()).toSorted()).toEqual(expected.toSorted());
  console.log(
    `${closed.length} of ${SITES} sites were proposed; ${again.length} visitors came again; ${expected.length} were named`,
  );
});
