/** Fills a new hub by its API, as people would do in a week, and dates what they did back to that week. */
import { asc, eq } from 'drizzle-orm';
import type { HubCore } from '../../../hub/core.ts';
import { type Db, inTransaction } from '../../../hub/db/open.ts';
import { changelog, incidents } from '../../../hub/db/schema.ts';
import { uptime } from '../../uptime/tables.ts';
import {
  type Change,
  domainOf,
  liveIn,
  moveIn,
  PEOPLE,
  type Ports,
  SITES,
  type Site,
} from './house.ts';
import { BAD_HOUR } from './visitors.ts';

const HOUR_MS = 3_600_000;
/** Of the made-up past. */
const HOURS = 7 * 24;
const CLIENT = { ip: '192.168.1.20', userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };

/** Asks the hub's API with the token of a session. @throws Error if it refuses */
export type AskApi = (
  token: string,
  request: { method: string; path: string; json?: object },
) => Promise<unknown>;

/** Makes the accounts, the owner's first. @returns the tokens of their sessions, and how a visitor gets one */
export async function makeAccounts({ accounts }: HubCore) {
  // Nobody signs in with it.
  const password = crypto.randomUUID();
  const account = (name: string) => ({
    name,
    email: `${name.toLowerCase()}@home.example`,
    password,
  });
  const [first, ...others] = PEOPLE;
  const owner = await accounts.signUp(account(first), { ...CLIENT, owner: null, isLocal: true });
  const maker = { user: owner.user, via: null, client: CLIENT, assertAllowed() {} };
  const tokens = new Map([[first as string, owner.session.token]]);
  const signIn = (user: typeof owner.user) => {
    const signedIn = accounts.signInAs(user, { ...CLIENT, previous: null });
    if (!('session' in signedIn)) throw new Error('a made-up account has a second factor');
    return signedIn.session.token;
  };
  for (const name of others) {
    const user = await accounts.create({ ...account(name), role: 'editor' }, maker);
    tokens.set(name, signIn(user));
  }
  const viewer = await accounts.create({ ...account('Visitor'), role: 'viewer' }, maker);
  let token = signIn(viewer);
  /** A session ends after 30 days at the latest. */
  function visitor(): string {
    if (!accounts.find(token)) token = signIn(viewer);
    return token;
  }
  return { tokens, visitor };
}

/** Publishes the sites and all changes of the week. @param ports Caddy's @throws Error */
export async function publishAll(
  tokens: ReadonlyMap<string, string>,
  upstreams: ReadonlyMap<string, string>,
  ports: Ports,
  ask: AskApi,
): Promise<{ ids: Map<string, number>; changes: Change[] }> {
  const made: Change[] = [];
  async function make(rounds: readonly Change[][]): Promise<void> {
    for (const round of rounds) {
      await Promise.all(round.map((change) => ask(tokens.get(change.by) ?? '', change)));
      made.push(...round);
    }
  }
  await make(moveIn(upstreams, ports));
  const all = await ask(tokens.get(PEOPLE[0]) ?? '', { method: 'GET', path: '/vhosts' });
  const byDomain = new Map(
    (all as { id: number; domain: string }[]).map((one) => [one.domain, one.id]),
  );
  const ids = new Map(SITES.map((site) => [site.name, byDomain.get(domainOf(site)) ?? 0]));
  await make(liveIn(ids));
  return { ids, changes: made };
}

/** @param start when the demo was started, in milliseconds since 1970 */
export function dateBack(
  db: Db,
  ids: ReadonlyMap<string, number>,
  changes: readonly Change[],
  start: number,
): void {
  inTransaction(db, (tx) => {
    const groups = tx
      .selectDistinct({ group: changelog.group })
      .from(changelog)
      .orderBy(asc(changelog.group))
      .all();
    for (const [at, { group }] of groups.entries()) {
      const createdAt = new Date(start - (changes[at]?.ago ?? 0) * HOUR_MS);
      tx.update(changelog).set({ createdAt }).where(eq(changelog.group, group)).run();
    }
    for (const site of SITES.filter(({ check }) => check !== undefined)) {
      tx.insert(uptime)
        .values(hoursOf(site, ids.get(site.name) ?? 0, start))
        .run();
    }
    const { site, from, to } = BAD_HOUR;
    tx.insert(incidents)
      .values({
        event: 'upstream.down',
        subject: `vhost ${ids.get(site)}`,
        about: domainOf({ name: site }),
        level: 'bad',
        message: 'The upstream does not answer: connection refused',
        beganAt: new Date(start + from),
        overAt: new Date(start + to),
      })
      .run();
  });
}

/** How its check was answered in each hour of the week but the one that is not over. */
function hoursOf({ name, share }: Site, vhostId: number, start: number) {
  const now = Math.floor(start / HOUR_MS);
  const badHour = Math.floor((start + BAD_HOUR.from) / HOUR_MS);
  return Array.from({ length: HOURS }, (_, at) => {
    const hour = now - HOURS + at;
    const failed = name === BAD_HOUR.site && hour === badHour ? 24 : 0;
    const p50 = Math.round(8 + share + 3 * Math.sin(hour / 4));
    return { vhostId, hour, asked: 60, failed, p50, p95: p50 * 3 };
  });
}
