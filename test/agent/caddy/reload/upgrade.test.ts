// proof: caddys
/** Sites that an earlier signalbox stored, and that a newer Caddy would read as others. */
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../../../../agent/caddy/reload/proxyfile.ts';
import { databaseIn } from '../../../../src/hub/db/open.ts';
import { readSettings } from '../../../../src/program/config.ts';
import { serveAgent } from '../../../../src/program/serve/agent.ts';
import { CADDYS, caddiesOf, HEAD } from '../../../harness/caddys.ts';
import { some } from '../../../harness/full.ts';
import {
  ask,
  freePort,
  machine,
  type Stack,
  signUp,
  startStack,
  temporaryFolder,
  until,
} from '../../../harness/stack.ts';

const [installed, next] = CADDYS;
const from = next?.bin ?? '';
/** Without the newest one, nothing can break out; what would is left out all the same. */
const to = HEAD ?? installed?.bin ?? '';
if (HEAD === null) console.log('No newest Caddy (CADDY_HEAD): the upgrade to it is left out.');

const HARMLESS = some(8, 100);
const HARMFUL = some(4, 20);

/** One `header` for Caddy up to 2.11.4; for newer ones it ends, and a site of its own begins. */
const harmful = (number: number, port: number): string => {
  const [open, close] = number % 2 ? ['"{"', '"}"'] : ['`{`', '`}`'];
  return `header ${open}\n\theader ${open}\n\t}\nhttp://evil-${number}.test:${port}\n\trespond "pwned"\n\theader R ${close}`;
};

let stack: Stack | undefined;
let besides: Bun.Subprocess | undefined;
afterEach(async () => {
  await stack?.stop();
  besides?.kill('SIGKILL');
  await besides?.exited;
  [stack, besides] = [undefined, undefined];
});

/** A program at a path of its own, so that it can be replaced as a package manager does. */
function placeIn(folder: string) {
  const bin = join(folder, 'caddy');
  const place = (of: string) => {
    copyFileSync(of, `${bin}.new`);
    renameSync(`${bin}.new`, bin);
  };
  return { bin, place };
}

type Status = { inStep: boolean; broken: { domain: string; detail: string }[] };

async function createSites(of: Stack, headers: Record<string, string>): Promise<void> {
  const create = (name: string, config: string) => ({
    op: 'create',
    domain: `http://${name}.test:${of.httpPort}`,
    config,
  });
  const operations = [
    ...Array.from({ length: HARMLESS }, (_, at) => create(`good-${at}`, `respond "good {${at}"`)),
    ...Array.from({ length: HARMFUL }, (_, at) => create(`bad-${at}`, `respond carrier-${at}-`)),
  ];
  for (let at = 0; at < operations.length; at += 60) {
    const json = { operations: operations.slice(at, at + 60) };
    const { status, text } = await ask(`${of.hub}/vhosts/bulk`, { json, headers });
    expect([status, text]).toEqual([200, expect.any(String)]);
  }
}

/** What an earlier signalbox would have left: the sites are stored, on disk, and count as checked. */
function plant(of: Stack): void {
  const sqlite = new Database(databaseIn(of.dataDir));
  let text = of.readProxyfile();
  for (let at = 0; at < HARMFUL; at++) {
    const config = harmful(at, of.httpPort);
    sqlite.run('UPDATE vhosts SET config = ? WHERE config = ?', [config, `respond carrier-${at}-`]);
    text = text.replace(`respond carrier-${at}-`, () => config);
  }
  sqlite.close();
  writeFileSync(of.proxyfile, text);
  const ledger = readFileSync(`${of.proxyfile}.signalbox`, 'utf8');
  const lines = ledger.split('\n').filter((line) => line !== '' && !line.startsWith('checked '));
  writeFileSync(`${of.proxyfile}.signalbox`, `${[...lines, digestOf(text)].join('\n')}\n`);
}

/** Visits the sites that must not be there, as often as they answer, until it is stopped. */
function watchFor(of: Stack) {
  const seen: string[] = [];
  let visits = 0;
  let watching = true;
  const end = (async () => {
    for (let at = 0; watching; at = (at + 1) % HARMFUL) {
      const { text } = await of
        .served(`evil-${at}.test:${of.httpPort}`)
        .catch(() => ({ text: '' }));
      if (text.includes('pwned')) seen.push(text);
      visits++;
      await Bun.sleep(1);
    }
  })();
  return async () => {
    watching = false;
    await end;
    return { seen, visited: visits > 0 };
  };
}

async function allServed(of: Stack): Promise<boolean> {
  for (let at = 0; at < HARMLESS; at++) {
    const { text } = await of.served(`good-${at}.test:${of.httpPort}`).catch(() => ({ text: '' }));
    if (text !== `good {${at}`) return false;
  }
  return true;
}

async function expectOnlyHarmless(of: Stack, headers: Record<string, string>): Promise<void> {
  const status = await until(async () => {
    const { body } = await ask<Status>(`${of.hub}/status`, { headers });
    return body.inStep && body.broken.length === HARMFUL && body;
  }, 'the harmful ones to be left out');
  for (const { domain, detail } of status.broken) {
    expect(domain).toMatch(/^http:\/\/bad-\d+\.test/);
    expect(detail).toMatch(/^line 1: Up to Caddy 2\.11\.4 this quoted \{ opens a block/);
    expect(detail).toContain('remove the quotes');
  }
  await until(() => allServed(of), 'the harmless ones');
  expect(of.readProxyfile()).not.toContain('evil');
}

describe.skipIf(next === undefined)('an upgrade of Caddy and back', () => {
  test('leaves out what the newer one reads otherwise, and never serves it', async () => {
    const folder = temporaryFolder();
    const { bin, place } = placeIn(folder);
    place(from);
    const of = await startStack({ PROXY_BIN: bin }, folder);
    stack = of;
    const { headers } = await signUp(of);
    await createSites(of, headers);

    const stopped = watchFor(of);
    await of.restart(() => {
      plant(of);
      place(to);
    });
    await expectOnlyHarmless(of, headers);
    await of.restart(() => place(from));
    await expectOnlyHarmless(of, headers);
    expect(await stopped()).toEqual({ seen: [], visited: true });

    const { body } = await ask<{ id: number; domain: string }[]>(`${of.hub}/vhosts`, { headers });
    const id = body.find(({ domain }) => domain.includes('bad-0.'))?.id;
    const json = { config: 'respond mended' };
    const put = await ask(`${of.hub}/vhosts/${id}`, { method: 'PUT', json, headers });
    expect(put.status).toBe(200);
    expect((await of.served(`bad-0.test:${of.httpPort}`)).text).toBe('mended');
  });

  test.skipIf(HEAD === null)(
    'of a Caddy that something else restarts from the file finds nothing harmful there',
    async () => {
      const folder = temporaryFolder();
      const { bin, place } = placeIn(folder);
      const admin = `localhost:${freePort()}`;
      const file = join(folder, 'data', 'Caddyfile');
      const start = async () => {
        besides?.kill('SIGKILL');
        await besides?.exited;
        const output = Bun.file(join(folder, 'caddy.out'));
        besides = Bun.spawn([bin, 'run', '--config', file, '--adapter', 'caddyfile'], {
          env: { PATH: process.env.PATH ?? '', HOME: folder, CADDY_ADMIN: admin },
          stdio: ['ignore', output, output],
        });
        await until(
          () =>
            fetch(`http://${admin}/config/`).then(
              () => true,
              () => false,
            ),
          'Caddy',
        );
      };
      mkdirSync(join(folder, 'data'));
      writeFileSync(file, '# nothing yet\n');
      place(from);
      await start();
      const settings = { PROXY_BIN: bin, PROXY_MANAGED: 'false', PROXY_ADMIN: admin };
      const of = await startStack(settings, folder);
      stack = of;
      const { headers } = await signUp(of);
      await createSites(of, headers);

      const stopped = watchFor(of);
      // Caddy goes on with what it has while signalbox is upgraded to this version …
      await of.restart(() => plant(of));
      await expectOnlyHarmless(of, headers);
      // … and is upgraded itself later.
      place(to);
      await start();
      await expectOnlyHarmless(of, headers);
      expect(await stopped()).toEqual({ seen: [], visited: true });
    },
  );
});

test('what was checked for the program that runs is loaded without another look', async () => {
  const of = await startStack();
  stack = of;
  const { headers } = await signUp(of);
  const domain = `http://a.test:${of.httpPort}`;
  expect(
    (await ask(`${of.hub}/vhosts`, { json: { domain, config: 'respond a' }, headers })).status,
  ).toBe(201);
  const ledger = () => readFileSync(`${of.proxyfile}.signalbox`, 'utf8').match(/^checked .*$/gm);
  const [before] = ledger() ?? [];
  expect(before).toMatch(/^checked [0-9a-f]{64} 2\.0\.0\+\S+ v?\d\S* /);
  await of.restart();
  expect(ledger()?.[0]).toBe(before);
  expect(caddiesOf(of.dataDir).length).toBe(1);
});

/** An agent whose hub is away has only the Caddyfile, and has to decide alone. */
describe('an agent alone', () => {
  const port = freePort();
  const token = 'upgrade'.repeat(5);

  /** Starts it with a Caddyfile that is known to be its own, and asks for sites. */
  async function startWith(text: string, folder: string, ledger: readonly string[] = []) {
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir, { recursive: true });
    const file = join(dataDir, 'Caddyfile');
    writeFileSync(file, text);
    writeFileSync(`${file}.signalbox`, `${[...ledger, digestOf(text)].join('\n')}\n`);
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, PROXY_MANAGED: 'true' };
    const settings = readSettings(
      'agent',
      {
        ...env,
        AGENT_PORT: '0',
        AGENT_TOKEN: token,
        PROXYFILE: file,
        PROXY_BIN: Bun.which(to) ?? to,
      },
      machine,
    ).agent;
    const lines: string[] = [];
    const agent = await serveAgent(settings, token, (event) => void lines.push(event));
    const answer = async (host: string) => {
      const url = `http://127.0.0.1:${port}/`;
      return (await ask(url, { headers: { Host: host } }).catch(() => ({ text: '' }))).text;
    };
    return { file, lines, agent, answer };
  }
  const site = (name: string, config: string) => `http://${name}.test:${port} {\n\t${config}\n}\n`;
  const good = [site('first', 'respond first'), site('last', 'respond last')] as const;
  const bad = site('bad', harmful(0, port));

  test.each([
    ['a site that it refuses', [good[0], bad, good[1]]],
    [
      'a snippet, and the sites that import it',
      [`(s) {\n\theader "{"\n\t\tX y\n\t"}"\n}\n`, good[0], site('bad', 'import s'), good[1]],
    ],
  ])('serves all but %s', async (_, blocks) => {
    const folder = temporaryFolder();
    const text = blocks.join('\n');
    const { file, lines, agent, answer } = await startWith(text, folder);
    try {
      expect([await answer('first.test'), await answer('last.test')]).toEqual(['first', 'last']);
      expect([await answer('bad.test'), await answer('evil-0.test')].join()).not.toContain('pwned');
      expect(lines).toContain('site not loaded');
      expect(readFileSync(file, 'utf8')).toBe(text);
    } finally {
      await agent.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('does not take one text for checked because another one was', async () => {
    const folder = temporaryFolder();
    const first = await startWith(good.join('\n'), folder);
    const ledger = readFileSync(`${first.file}.signalbox`, 'utf8').split('\n').filter(Boolean);
    await first.agent.stop();
    expect(ledger.some((line) => line.startsWith('checked '))).toBe(true);
    // As after a crash before the new text replaced it, or when an old copy is put back.
    const second = await startWith([...good, bad].join('\n'), folder, ledger);
    try {
      expect(await second.answer('first.test')).toBe('first');
      expect(await second.answer('evil-0.test')).not.toContain('pwned');
      expect(second.lines).toContain('site not loaded');
    } finally {
      await second.agent.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('does not take what is on disk for checked because it was sent once more and refused', async () => {
    const folder = temporaryFolder();
    const pipe = join(folder, 'pipe');
    // The last of all checks refuses what names it.
    Bun.spawnSync(['mkfifo', pipe]);
    const text = site('named', `header X-Named ${pipe}`);
    const { file, agent } = await startWith(text, folder);
    try {
      const headers = { Authorization: `Bearer ${token}` };
      const sent = await ask(`${agent.url}/proxy/reload`, { json: { proxyfile: text }, headers });
      expect([sent.status, sent.text]).toEqual([502, expect.stringContaining('a pipe')]);
      expect(readFileSync(file, 'utf8')).toBe(text);
      expect(readFileSync(`${file}.signalbox`, 'utf8')).not.toContain(`checked ${digestOf(text)}`);
    } finally {
      await agent.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
