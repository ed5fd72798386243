// proof: nginx
/**
 * Whether sites that moved from Nginx Proxy Manager do what they did: nginx with its files beside Caddy with
 * the import, the same requests to both. What differs was said by a note.
 */
import type { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Note } from '../../../../src/features/import-npm/npm/notes.ts';
import { FULL, some } from '../../../harness/full.ts';
import { startLan } from '../../../harness/lan.ts';
import { HAS_NGINX, movedDatabase, startNginx } from '../../../harness/npm.ts';
import { limit } from '../../../harness/speed.ts';
import { signUp, startLocalCaStack, until } from '../../../harness/stack.ts';
import { visit, visitAll } from '../../../harness/visits.ts';
import { type Compared, isOpened, isSame, KINDS, outcome, saidKinds } from './differences.ts';
import { visitsOf } from './visits.ts';

const REQUESTS = some(2_000, 20_000, 'NPM_REQUESTS');
const SEED = some(1, 1, 'NPM_SEED');

/** One of each list: the hub takes a second for each, and Caddy for each at each host. */
const withFewPasswords = (database: Database) =>
  void database.run(
    'DELETE FROM access_list_auth WHERE id NOT IN (SELECT min(id) FROM access_list_auth GROUP BY access_list_id)',
  );

/** One line about it. */
const told = ({ visit: { names, ...asked }, before, after }: Compared): string =>
  [asked, outcome({ names, ...asked }, before), outcome({ names, ...asked }, after)]
    .map((one) =>
      Object.values(one)
        .map((value) => JSON.stringify(value))
        .join(' '),
    )
    .join(' | ');

describe.skipIf(!HAS_NGINX)('what moved from Nginx Proxy Manager', () => {
  const ends: (() => unknown)[] = [];
  let notes: readonly Note[];
  let compared: Compared[];

  beforeAll(async () => {
    const database = movedDatabase(FULL ? undefined : withFewPasswords);
    const [nginx, stack, stopLan] = await Promise.all([
      startNginx(),
      startLocalCaStack(),
      startLan(),
    ]);
    ends.push(nginx.stop, stack.stop, stopLan);
    const { headers } = await signUp(stack);
    const body = new FormData();
    body.append('file', new Blob([database]), 'database.sqlite');
    const imported = await fetch(
      `${stack.hub}/import/npm?dryRun=false&certificates=true&taken=refuse`,
      { method: 'POST', headers, body },
    );
    const answer = (await imported.json()) as { notes: Note[] };
    if (imported.status !== 200) throw new Error(JSON.stringify(answer));
    notes = answer.notes;

    const caddy = {
      http: `http://127.0.0.1:${stack.httpPort}`,
      https: `https://127.0.0.1:${stack.httpsPort}`,
    };
    const home = { scheme: 'https', method: 'GET', path: '/', from: 'lan' } as const;
    for (const host of ['secure.example', 'www.le.example.org', 'a.home.example']) {
      await until(async () => (await visit(caddy, { ...home, host })).status === 200, host);
    }
    const visits = visitsOf(database, REQUESTS, SEED);
    const before = await visitAll(nginx, visits);
    const after = await visitAll(caddy, visits);
    compared = visits.flatMap((one, index) => {
      const [was, is] = [before[index], after[index]];
      return was && is ? [{ visit: one, before: was, after: is }] : [];
    });
  }, limit(300_000));
  afterAll(() => Promise.all(ends.map((end) => end())));

  test('answers the same, except for what a note said', () => {
    expect(compared).toHaveLength(REQUESTS);
    const unsaid = compared
      .filter((one) => !isSame(one) && saidKinds(one, notes).length === 0)
      .map(told);
    expect(unsaid).toEqual([]);
  });

  test('lets nobody in whom Nginx Proxy Manager refused', () => {
    expect(compared.filter(isOpened).map(told)).toEqual([]);
  });

  test.each(Object.keys(KINDS))('is compared where it differs: %s', (kind) => {
    const different = compared.filter((one) => !isSame(one));
    expect(different.some((one) => saidKinds(one, notes).includes(kind))).toBe(true);
  });
});
