/** Text from outside tries to control the terminal of whoever runs a command, or to forge its lines. */
import { describe, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderForFile, forFile } from '../harness/for-file.ts';
import { runProgram } from '../harness/program.ts';
import { startStack } from '../harness/stack.ts';
import { runAtTerminal } from '../harness/terminal.ts';

/** Clears the screen, sets the title, colours (7 and 8 bits), turns text around, hides it. */
const SLY = '\u001b[2J\u001b]0;title\u0007\u009b31m\u202etxt\u2066\u200b\u2028\u{e0041}\r\b';
/** What a terminal obeys or does not show. */
const OBEYED = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const FORGED = `${SLY}\n9\tforged`;

const folder = folderForFile();
const dataDir = join(folder, 'data');
const file = join(folder, 'theirs.Caddyfile');
let answer: (request: Request) => Response = () => new Response();

mkdirSync(dataDir, { mode: 0o700 });
writeFileSync(file, '');
// Stands in for a hub that repeats whatever it was given.
await forFile(Bun.serve({ unix: join(dataDir, 'hub.sock'), fetch: (request) => answer(request) }));

const run = (args: string[], env: Record<string, string> = {}, input?: string) =>
  runProgram(args, env, folder, input === undefined ? {} : { input }).exited();

/** Runs a command on a terminal without colours, and returns everything it wrote. */
const atTerminal = async (args: string[]): Promise<string> =>
  (await runAtTerminal(args, { cwd: folder })).seen;

describe('signalbox site show', () => {
  test('prints no control characters of a site, neither as text nor as JSON', async () => {
    const names = {
      addresses: ['', FORGED],
      policies: [FORGED],
      except: [],
      tags: [FORGED],
      agents: [],
      check: null,
    };
    const theirs = {
      id: 1,
      domain: 'a.example',
      upstream: FORGED,
      enabled: true,
      updatedAt: '',
      ...names,
      config: `respond ${FORGED}`,
    };
    const message = `It fails: ${FORGED}`;
    const problem = { code: 'UPSTREAM_DOWN', level: 'bad', vhost: { id: 1 }, message };
    const status = { agents: [], problems: [problem], broken: [] };
    answer = ({ url }) => {
      const { pathname } = new URL(url);
      if (pathname.endsWith('/status')) return Response.json(status);
      return Response.json(pathname.endsWith('/1') ? theirs : [theirs]);
    };
    const { code, out } = await run(['site', 'show', 'a.example']);
    expect([code, out]).toEqual([0, expect.not.stringMatching(OBEYED)]);
    expect(out).toContain('\nupstream  \\u001b[2J');
    expect(out).toContain('\nstate     down: It fails: \\u001b[2J');
    const json = await run(['site', 'show', 'a.example', '--json']);
    expect(json.out).not.toMatch(OBEYED);
    expect(JSON.parse(json.out)).toEqual({
      ...theirs,
      health: { level: 'bad', label: 'down', text: message },
    });
  });
});

describe('a list', () => {
  const entry = {
    timestamp: FORGED,
    domain: FORGED,
    method: FORGED,
    path: FORGED,
    status: 200,
    latency: FORGED,
    ip: FORGED,
    agent: FORGED,
  };
  const problem = {
    key: 'a',
    code: 'WARNING',
    level: FORGED,
    since: FORGED,
    message: FORGED,
    vhost: { id: 1, domain: FORGED },
  };

  test.each([
    ['logs', { logs: [entry], missing: [FORGED] }, 1],
    ['status', { problems: [{ ...problem, known: { by: SLY } }], checking: 0 }, 1],
  ])('of %s has no control characters and no forged lines', async (line, body, notes) => {
    answer = () => Response.json(body);
    for (const json of [[], ['--json']]) {
      const { code, out, err } = await run([...line.split(' '), ...json]);
      expect([code, out + err]).toEqual([0, expect.not.stringMatching(OBEYED)]);
      expect(out.match(/\n/g)).toHaveLength(1);
      expect(err.match(/\n/g) ?? []).toHaveLength(notes);
    }
  });
});

test('an undo prints what was undone without control characters or forged lines', async () => {
  const group = {
    group: 1,
    userName: FORGED,
    via: FORGED,
    createdAt: FORGED,
    summary: FORGED,
    count: 1,
    entries: [{ action: 'update', domain: FORGED, diff: JSON.stringify({ new: { [SLY]: 1 } }) }],
  };
  answer = ({ method }) => Response.json(method === 'GET' ? [group] : {});
  const { code, out, err } = await run(['undo', '1']);
  expect([code, out + err]).toEqual([0, expect.not.stringMatching(OBEYED)]);
  expect(out.match(/\n/g)).toHaveLength(1);
});

describe('signalbox import', () => {
  test('prints what a hub answers without control characters or forged lines', async () => {
    answer = () =>
      Response.json({
        vhosts: [{ id: 1, domain: `http://a.example${FORGED}` }],
        merge: { sites: [{ domain: FORGED, action: 'skip' }], preamble: [] },
        skipped: [{ line: 2, reason: `admin ${FORGED}` }],
        proxyfile: '',
      });
    const { code, out, err } = await run(['import', file]);
    expect(code).toBe(0);
    expect(out + err).not.toMatch(OBEYED);
    expect(out).toStartWith('1\thttp://a.example\\u001b[2J');
    expect(out.match(/\n/g)).toHaveLength(1);
    // The line and the site that were skipped, and how many sites.
    expect(err.match(/\n/g)).toHaveLength(3);
  });

  test('prints a refusal the same way', async () => {
    const refusal = { code: `C${SLY}`, message: `refused ${FORGED}`, detail: `detail ${FORGED}` };
    answer = () => Response.json(refusal, { status: 502 });
    const { code, out, err } = await run(['import', file]);
    expect([code, out]).toEqual([1, '']);
    expect(err).not.toMatch(OBEYED);
    expect(err).toContain('refused \\u001b[2J');
    expect(err.match(/\n/g)).toHaveLength(2);
    expect(await atTerminal(['import', file])).not.toMatch(OBEYED);
  });

  test('writes the Caddyfile of a dry run to a file as it is, but not to a terminal', async () => {
    const proxyfile = `http://a.example {\n\trespond "👩‍🚀 ${SLY}"\n}\n`;
    const merge = { sites: [], preamble: [] };
    answer = () => Response.json({ vhosts: [], skipped: [], proxyfile, merge });
    expect((await run(['import', file, '--dry-run'])).out).toBe(proxyfile);
    const seen = await atTerminal(['import', file, '--dry-run']);
    expect(seen).toContain('\n\trespond "');
    expect(seen).not.toMatch(OBEYED);
  });

  test('prints what Caddy refuses without control characters', async () => {
    const stack = await startStack();
    try {
      for (const text of [
        `http://a.example {\n\trespo${SLY} a\n}\n`,
        `http://a.example {\n\trespond "a" "${SLY}"\n}\n`,
        `{\n\tadmin "unix//${SLY}"\n}\n\nhttp://a.example {\n\trespond a\n}\n`,
        `"http://a.example${SLY}" {\n\trespond a\n}\n`,
        `http://b.example {\n\timport "/etc/${SLY}"\n}\n`,
      ]) {
        const { out, err } = await run(['import', '-'], { DATA_DIR: stack.dataDir }, text);
        expect(err).not.toBe('');
        expect(out + err).not.toMatch(OBEYED);
      }
    } finally {
      await stack.stop();
    }
  });
});

describe('a name from outside is shown, not obeyed, by', () => {
  const name = join(folder, SLY);
  // Without the NUL and the like that no argument can hold; a slash would be another folder.
  const REFUSED: [string, string[], Record<string, string>?][] = [
    ['an unknown command', [FORGED]],
    ['help', ['help', FORGED]],
    ['import', ['import', name]],
    ['backup', ['backup', join(name, 'none')]],
    ['restore', ['restore', name]],
    ['passwd', ['passwd', `${SLY}@example.org`]],
    ['install', ['install', 'hub', '--root', join(name, 'none')]],
    ['health', ['health'], { HUB_HOST: SLY }],
    ['a start with a wrong setting', ['hub'], { HUB_HOST: SLY, HUB_PORT: SLY, SIGN_UP: SLY }],
    ['a start without a Caddy', ['agent'], { PROXY_BIN: SLY, PROXY_MANAGED: SLY }],
  ];
  test.each(REFUSED)('%s', async (_what, args, env = {}) => {
    const { code, out, err } = await run(args, env, '');
    expect(code).toBeGreaterThan(0);
    expect(out + err).not.toMatch(OBEYED);
    expect(err).not.toMatch(/^9\tforged/m);
  });
});

test('backup and restore show the name of a file they write or read', async () => {
  const stack = await startStack();
  try {
    const env = { DATA_DIR: stack.dataDir };
    const copy = join(folder, `copy${SLY}`);
    const made = await run(['backup', copy], env);
    expect(made.code).toBe(0);
    expect(readFileSync(copy).length).toBeGreaterThan(0);
    const elsewhere = join(folder, `data${SLY}`);
    copyFileSync(copy, join(folder, 'plain'));
    const back = await run(['restore', join(folder, 'plain')], { DATA_DIR: elsewhere });
    expect(back.code).toBe(0);
    expect(made.out + made.err + back.out + back.err).not.toMatch(OBEYED);
  } finally {
    await stack.stop();
  }
});

test('install shows the files that it would replace', async () => {
  const root = join(folder, 'root');
  const units = join(root, 'etc/systemd/system');
  mkdirSync(units, { recursive: true });
  writeFileSync(join(units, 'signalbox-hub.service'), `[Unit]\nDescription=${SLY}\n`);
  const args = ['install', 'hub', '--root', root, '--print'];
  const { code, out, err } = await run(args);
  expect(code).toBe(0);
  expect(out).toContain('-Description=\\u001b[2J');
  expect(out + err).not.toMatch(OBEYED);
});
