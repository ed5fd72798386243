// proof: chaos
/**
 * Kills hub, agent or both with SIGKILL while a document is applied, or a moment of the past is brought back.
 * Afterwards all of it is stored, served and in the changelog, or none of it; a retry with its key makes it whole, and
 * publishes nothing that is there.
 * CHAOS_KILLS sets the number of kills, CHAOS_SEED their instants.
 */
import { expect, test } from 'bun:test';
import { forFile } from '../harness/for-file.ts';
import { FULL, some } from '../harness/full.ts';
import { seededRandom } from '../harness/random.ts';
import { limit } from '../harness/speed.ts';
import { ask, until } from '../harness/stack.ts';
import { createWorld, type Part } from './world.ts';

const KILLS = some(4, 100, 'CHAOS_KILLS');
const SEED = Number(process.env.CHAOS_SEED ?? 20261123);
/** About as long as it takes to publish a document. */
const PUBLISH_MS = 60;
/** About as long as it takes from the new file to the answer. */
const ANSWER_MS = 15;
const EVERYBODY: readonly Part[] = ['hub', 'agent'];
const VICTIMS: readonly [readonly Part[], ...(readonly Part[])[]] = [
  ['hub'],
  ['hub'],
  ['agent'],
  EVERYBODY,
];
/** The kill before which the agent is stopped: the others may all come after the answer. */
const STOPPED = 2;

const world = await forFile(createWorld());

type Group = { group: number; via: string | null; count: number };

const host = (name: string) => `${name}.example`;
const HOSTS = ['even', 'odd', 'both', 'guarded'].map(host);
const address = (name: string) => `http://${host(name)}:${world.httpPort}`;
/** It changes, creates and deletes a site each, and moves a policy along. */
function documentOf(kill: number): object {
  // A number of three digits would be a status.
  const answers = { config: `respond d${kill}` };
  return {
    source: 'chaos',
    prune: true,
    policies: { [`p${kill % 2}`]: { recipe: 'maintenance', values: { text: `closed ${kill}` } } },
    sites: {
      [address('both')]: answers,
      [address(kill % 2 ? 'odd' : 'even')]: answers,
      [address('guarded')]: { ...answers, policies: [`p${kill % 2}`] },
    },
  };
}

/** What each host answers once a document is applied. */
const servedOf = (kill: number): Record<string, string> => ({
  [host('both')]: `d${kill}`,
  [host('even')]: kill % 2 ? '' : `d${kill}`,
  [host('odd')]: kill % 2 ? `d${kill}` : '',
  [host('guarded')]: `closed ${kill}`,
});

type Sent = { path: string; json: object; key: string; status: number };

const applied = (kill: number): Sent => ({
  path: '/apply',
  json: documentOf(kill),
  key: `apply-${SEED}-${kill}`,
  status: 200,
});

/** When the documents 0 and 1 had been applied. */
const moments: string[] = [];

const restored = (kill: number): Sent => ({
  path: '/history/restore',
  json: { at: moments[kill % 2] },
  key: `restore-${SEED}-${kill}`,
  status: 200,
});

/** What is sent at each kill, and the number of the document that it leads to. */
const WAYS = {
  apply: { sentOf: applied, numberOf: (kill: number) => kill },
  restore: { sentOf: restored, numberOf: (kill: number) => kill % 2 },
};

/** What was changed after a group: a page of all of them ends at a hundred. */
async function groupsAfter(known: number): Promise<Group[]> {
  const { body } = await ask<Group[]>(`${world.hub}/changelog?grouped=true`, world);
  return body.filter(({ group }) => group > known);
}

/** A Caddy that loads or starts may still refuse a connection. */
async function served(name: string): Promise<string> {
  const visit = () => ask(`http://127.0.0.1:${world.httpPort}/`, { headers: { Host: name } });
  return (await until(() => visit().catch(() => null), `an answer of ${name}`)).text;
}

/** What is served, stored and on disk, as the number of the document that it is all of: one of two. */
async function whole(before: number, after: number): Promise<number> {
  const { rows, file } = await world.views([]);
  const texts: Record<string, string> = {};
  for (const name of HOSTS) texts[name] = await served(name);
  const kill = texts[host('both')] === `d${before}` ? before : after;
  expect(texts).toEqual(servedOf(kill));
  const sites = rows.map(({ domain, config }) => `${domain} ${config}`).toSorted();
  expect(sites).toEqual(
    [
      `${address('both')} respond d${kill}`,
      `${address(kill % 2 ? 'odd' : 'even')} respond d${kill}`,
      `${address('guarded')} respond d${kill}`,
    ].toSorted(),
  );
  const texted = [...file.matchAll(/respond (?:d|"closed )(\d+)/g)].map(([, number]) => number);
  expect(new Set(texted)).toEqual(new Set([`${kill}`]));
  return kill;
}

test.each(['apply', 'restore'] as const)(
  `%s: as a whole or not at all, whatever is killed ${KILLS} times (seed ${SEED})`,
  async (way) => {
    const { sentOf, numberOf } = WAYS[way];
    const accepted = (kill: number) => world.accepted(sentOf(kill));
    const random = seededRandom(SEED);
    const tally = { none: 0, made: 0, answered: 0 };
    for (const number of [0, 1]) {
      await world.accepted({ ...applied(number), key: `${way}-begins-with-${number}` });
      moments[number] = new Date().toISOString();
    }
    await world.accepted({ ...applied(0), key: `${way}-begins` });
    expect(await whole(0, 0)).toBe(0);
    let known = (await groupsAfter(0))[0]?.group ?? 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const victims = kill === STOPPED ? EVERYBODY : random.pick(VICTIMS);
      const file = world.fileIdentity();
      if (kill === STOPPED) world.freeze('agent');
      const first = world.send(sentOf(kill));
      await world.reach(kill, file, random, [PUBLISH_MS, ANSWER_MS]);
      await world.kill(victims);
      const answer = await first;
      await world.revive(victims);
      await world.agree();

      const [before, after] = [numberOf(kill - 1), numberOf(kill)];
      const isMade = (await whole(before, after)) === after;
      expect([kill, (await groupsAfter(known)).length]).toEqual([kill, isMade ? 1 : 0]);
      if (answer?.status === 200) expect([kill, isMade]).toEqual([kill, true]);
      tally[answer?.status === 200 ? 'answered' : isMade ? 'made' : 'none']++;

      const published = world.fileIdentity();
      const again = await accepted(kill);
      if (isMade) expect([kill, world.fileIdentity()]).toEqual([kill, published]);
      if (answer?.status === 200) expect([kill, again.text]).toEqual([kill, answer.text]);
      expect(await whole(before, after)).toBe(after);
      expect((await accepted(kill)).text).toBe(again.text);
      const [last, ...others] = await groupsAfter(known);
      const { group } = JSON.parse(again.text) as { group: number };
      // Two sites are changed, and one site and one policy created and deleted each.
      expect([last?.group, last?.count, others]).toEqual([group, 6, []]);
      known = group;
    }
    console.log(`${way}: ${KILLS} kills, seed ${SEED}: ${JSON.stringify(tally)}`);
    expect(tally.none).toBeGreaterThan(0);
    // Of a few kills, none may hit the moment between the publish and its answer.
    if (FULL) expect(tally.made).toBeGreaterThan(0);
  },
  limit(Math.max(150_000, KILLS * 6_000)),
);
