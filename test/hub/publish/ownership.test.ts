/** Whose sites the proxy serves: a lost database, a second hub, and a set older than what is live. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHubApart } from '../../harness/apart.ts';
import { inDatabase } from '../../harness/database.ts';
import { ask, type Stack, signUp, startStack, until } from '../../harness/stack.ts';

type Status = { inStep: boolean; foreign: boolean; warnings: string[] };
type Headers = Record<string, string>;

let stack: Stack;
let headers: Headers;
const create = (name: string, query = '', to = stack.hub, as = headers) =>
  ask<{ code?: string; message: string; id: number }>(`${to}/vhosts${query}`, {
    json: { domain: `http://${name}.example:${stack.httpPort}`, config: `respond ${name}` },
    headers: as,
  });
const status = async (of = stack.hub, as = headers) =>
  (await ask<Status>(`${of}/status`, { headers: as })).body;
const served = async (name: string) => (await stack.served(`${name}.example`)).text;
const untilServed = (name: string) => until(async () => (await served(name)) === name, name);
const untilInStep = () => until(async () => (await status()).inStep, 'hub and proxy in step');
const untilWarned = (words: string, of?: string, as?: Headers) =>
  until(async () => (await status(of, as)).warnings.find((one) => one.includes(words)), words);

/** The texts of the copies whose names go on like this. */
const copies = (end: string) =>
  readdirSync(stack.dataDir)
    .filter((name) => name.startsWith(`Caddyfile.${end}-`))
    .map((name) => readFileSync(join(stack.dataDir, name), 'utf8'));
const database = () => join(stack.dataDir, 'signalbox.db');
const ledger = () => `${stack.proxyfile}.signalbox`;
/** As a `kill -9` leaves it whose log is gone then: with what is in the file alone. */
const losesLog = () => {
  const file = readFileSync(database());
  return () => {
    removeLog();
    writeFileSync(database(), file);
  };
};
const removeLog = () => {
  for (const end of ['-wal', '-shm']) rmSync(database() + end, { force: true });
};

/** As if what is live was loaded for no hub, through the agent alone. */
function forgetOwner(): void {
  const lines = readFileSync(ledger(), 'utf8').split('\n');
  expect(lines[0]).toMatch(/^hub [0-9a-f]{32}$/);
  writeFileSync(ledger(), lines.slice(1).join('\n'));
}

/** A stack with a first site for some tests, each of which goes on from where the one before ended. */
function onOneStack(): void {
  beforeAll(async () => {
    stack = await startStack();
    ({ headers } = await signUp(stack));
    expect((await create('first')).status).toBe(201);
  });
  afterAll(() => stack.stop());
}

describe('a database that is lost', () => {
  onOneStack();
  beforeEach(async () => {
    if ((await served('first')) === '') expect((await create('first')).status).toBe(201);
    for (const name of readdirSync(stack.dataDir)) {
      if (/^Caddyfile\.(before|changed)-/.test(name)) rmSync(join(stack.dataDir, name));
    }
  });

  test('that was young and lost its log takes no site with it', async () => {
    await untilInStep();
    const before = stack.readProxyfile();
    await stack.restart(losesLog());
    ({ headers } = await signUp(stack));
    expect(await untilWarned('signalbox.db-wal')).toContain('signalbox restore');
    expect(await status()).toMatchObject({ foreign: true, inStep: false });
    const refused = await create('second');
    expect([refused.status, refused.body.code]).toEqual([409, 'IMPORT_FIRST']);
    expect(refused.body.message).toContain('signalbox.db-wal');
    const checked = await ask<{ code?: string }>(`${stack.hub}/vhosts?replace=true`, {
      json: { domain: `http://c.example:${stack.httpPort}`, config: 'abort', check: { path: '/' } },
      headers,
    });
    expect([checked.status, checked.body.code]).toEqual([409, 'IMPORT_FIRST']);
    const mistaken = await ask<{ code?: string }>(`${stack.hub}/vhosts?replace=true`, {
      json: { domain: `http://m.example:${stack.httpPort}`, config: 'respnd x' },
      headers,
    });
    expect([mistaken.status, mistaken.body.code]).toEqual([502, 'PROXY_REJECTED']);
    await stack.restart();
    await untilWarned('signalbox.db-wal');
    expect([await served('first'), stack.readProxyfile()]).toEqual(['first', before]);

    expect((await create('second', '?replace=true')).status).toBe(201);
    expect([await served('first'), await served('second')]).toEqual(['', 'second']);
    expect(copies('changed')).toEqual([before]);
    await untilInStep();
    expect((await status()).warnings.join()).not.toContain('signalbox.db-wal');
  });

  const losses: [string, () => void][] = [
    ['removed', () => rmSync(database())],
    [
      'lost beside a Caddyfile of no hub',
      () => {
        rmSync(database());
        forgetOwner();
      },
    ],
  ];

  test.each(losses)('that was %s takes no site with it', async (_, lose) => {
    const before = stack.readProxyfile();
    const from = stack.lines.length;
    await stack.restart(() => {
      lose();
      removeLog();
    });
    ({ headers } = await signUp(stack));
    expect(await untilWarned('signalbox restore')).toContain('signalbox import');
    expect(stack.lines.slice(from).filter((line) => line.includes('signalbox restore'))).toEqual([
      expect.stringMatching(/level=error/),
    ]);
    expect(await status()).toMatchObject({ foreign: true, inStep: false });
    const refused = await create('second');
    expect([refused.status, refused.body.code]).toEqual([409, 'IMPORT_FIRST']);
    expect(refused.body.message).toContain('signalbox restore');
    expect([await served('first'), stack.readProxyfile()]).toEqual(['first', before]);

    expect((await create('second', '?replace=true')).status).toBe(201);
    expect([await served('first'), await served('second')]).toEqual(['', 'second']);
    expect([...copies('before'), ...copies('changed')]).toEqual([before]);
    await untilInStep();
    expect((await status()).warnings.join()).not.toContain('signalbox restore');
  });
});

describe('what the proxy serves', () => {
  onOneStack();

  test.each([
    ['removed', () => {}],
    ['replaced', (away: string) => writeFileSync(database(), readFileSync(away))],
  ])('a database that is %s under a running hub stops changes', async (name, replace) => {
    const away = `${database()}.away`;
    renameSync(database(), away);
    replace(away);
    const refused = await create(name);
    expect([refused.status, refused.body.code]).toEqual([507, 'STORAGE_UNAVAILABLE']);
    expect(refused.body.message).toBe('The database file was replaced; restart the hub.');
    await untilWarned('The database file was replaced');
    expect([await served('first'), await served(name)]).toEqual(['first', '']);
    const token = await ask(`${stack.hub}/tokens`, { json: { name: 'a', scope: 'read' }, headers });
    expect(token.status).toBe(507);
    renameSync(away, database());
    expect((await create(name)).status).toBe(201);
  });

  test('a Caddyfile of no hub becomes that of the one that has its sites, unasked', async () => {
    await stack.restart(forgetOwner);
    await untilInStep();
    expect(readFileSync(ledger(), 'utf8')).toMatch(/^hub [0-9a-f]{32}\n/);
    expect((await create('own')).status).toBe(201);
    expect([await served('first'), await served('own')]).toEqual(['first', 'own']);
    expect((await status()).warnings.join()).not.toContain('hub');
  });

  test('a set older than the Caddyfile replaces it, but keeps a copy and names the sites', async () => {
    expect((await create('second')).status).toBe(201);
    const newer = stack.readProxyfile();
    await stack.restart(() => {
      inDatabase(stack.dataDir, (sqlite) => {
        for (const table of ['vhosts', 'changelog'])
          sqlite.run(`DELETE FROM ${table} WHERE domain LIKE '%second%'`);
      });
    });
    await until(async () => (await served('second')) === '', 'the withdrawal');
    expect(await untilWarned('second.example')).not.toContain('first.example');
    expect(copies('changed')).toEqual([newer]);
    await untilInStep();
  });

  test('a second hub on the same agent changes nothing unasked, and neither takes the other’s sites back', async () => {
    const dataDir = join(stack.folder, 'second');
    const second = await startHubApart(stack, stack.agent, {
      dataDir,
      socket: join(dataDir, 'hub.sock'),
    });
    const [api, theirs] = [`${second.url}/api`, second.headers];
    try {
      const mine = stack.readProxyfile();
      const refused = await create('second', '', api, theirs);
      expect([refused.status, refused.body.code]).toEqual([409, 'IMPORT_FIRST']);
      expect(await served('first')).toBe('first');

      expect((await create('second', '?replace=true', api, theirs)).status).toBe(201);
      expect(copies('before')).toEqual([mine]);
      await untilWarned('Another hub publishes');
      expect((await create('third')).body.code).toBe('OTHER_HUB');
      expect([await served('first'), await served('second')]).toEqual(['', 'second']);

      expect((await create('third', '?replace=true')).status).toBe(201);
      await untilWarned('Another hub publishes', api, theirs);
      expect((await create('fourth', '', api, theirs)).body.code).toBe('OTHER_HUB');
      expect([await served('first'), await served('third')]).toEqual(['first', 'third']);
      await untilInStep();
      expect((await status()).warnings.join()).not.toContain('Another hub');
    } finally {
      await second.stop();
    }
  });

  test('what something else keeps loading is replaced less and less often, and reported', async () => {
    const text = (name: string) =>
      `http://${name}.example:${stack.httpPort} {\n\trespond ${name}\n}\n`;
    const push = async (name: string) => {
      const json = { proxyfile: text(name) };
      const { agent, agentHeaders } = stack;
      expect((await ask(`${agent}/proxy/reload`, { json, headers: agentHeaders })).status).toBe(
        200,
      );
    };
    await untilInStep();
    for (const name of ['one', 'two', 'three']) {
      await push(name);
      await untilServed('first');
    }
    await untilWarned('keeps replacing');
  });

  test('a hub whose copy was promoted is refused, whatever it may replace', async () => {
    const { id } = inDatabase(stack.dataDir, (sqlite) =>
      sqlite.query('SELECT id FROM hub').get(),
    ) as { id: string };
    const proxyfile = `http://promoted.example:${stack.httpPort} {\n\trespond promoted\n}\n`;
    const pushed = await stack.askAgent('/proxy/reload', { proxyfile, hub: id, term: 2 });
    expect(pushed.status).toBe(200);
    for (const query of ['', '?replace=true']) {
      const refused = await create('late', query);
      expect([refused.status, refused.body.code]).toEqual([409, 'OTHER_HUB']);
    }
    expect(await served('promoted')).toBe('promoted');
  });
});
