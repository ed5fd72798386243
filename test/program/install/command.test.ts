/** `signalbox install` and `uninstall` on real folders. */
import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { carryOut, isSafe } from '../../../src/program/install/machine.ts';
import { type Here, runHere } from '../../harness/command.ts';
import { folderForFile } from '../../harness/for-file.ts';
import { runProgram } from '../../harness/program.ts';

const folder = folderForFile();
const run = (...args: string[]) => runProgram(args, {}, folder).exited();
const TOKEN = 'etc/signalbox/agent-token';
const UNIT = 'etc/systemd/system/signalbox-hub.service';

/** An empty root folder, as an image is made from. */
function emptyRoot(name: string): string {
  const root = join(folder, name);
  mkdirSync(root);
  return root;
}

/** Runs the command as on another machine. */
const onMachine = (host: Here['host'], agrees: boolean, ...words: string[]) =>
  runHere(words, { host, agrees });

describe('signalbox install refuses', () => {
  test.each([
    ['to run without root', { isRoot: false }, 'needs root'],
    ['to run without systemd', { runsSystemd: false }, 'systemd is not running'],
    ['to run from source', {}, 'needs the binary'],
  ])('%s', async (_what, host, reason) => {
    const { code, text, asked } = await onMachine(host, true, 'install', 'hub', '--yes');
    expect([code, asked]).toEqual([1, []]);
    expect(text).toStartWith('signalbox install: ');
    expect(text).toContain(reason);
  });

  test('to follow links that lead out of an image, but follows those inside', async () => {
    const [root, host] = [emptyRoot('linked'), emptyRoot('host')];
    mkdirSync(join(host, 'signalbox'));
    mkdirSync(join(root, 'var'));
    mkdirSync(join(root, 'usr/etc'), { recursive: true });
    symlinkSync('usr/etc', join(root, 'etc'));
    symlinkSync(host, join(root, 'var/lib'));
    expect((await run('install', '--root', root, '--yes')).code).toBe(0);
    const removed = await run('uninstall', '--purge', '--root', root, '--yes');
    expect([removed.code, removed.out]).toEqual([1, '']);
    expect(removed.err).toContain('is not below');
    expect(existsSync(join(host, 'signalbox'))).toBe(true);

    rmSync(join(root, 'usr/etc/systemd'), { recursive: true });
    symlinkSync(host, join(root, 'usr/etc/systemd'));
    const written = await run('install', '--root', root, '--yes');
    expect([written.code, written.err]).toEqual([1, expect.stringContaining('is not below')]);
    expect(readdirSync(host)).toEqual(['signalbox']);

    // The target of a dangling link would be created.
    rmSync(join(root, 'usr/etc/systemd'));
    symlinkSync(join(host, 'later'), join(root, 'usr/etc/systemd'));
    expect((await run('install', '--root', root, '--yes')).code).toBe(1);
    expect(readdirSync(host)).toEqual(['signalbox']);
  });

  test('to go on without a terminal and --yes, after it has shown the steps', async () => {
    const root = emptyRoot('piped');
    const { code, out, err } = await run('install', 'hub', '--root', root);
    expect([code, err]).toEqual([
      1,
      'signalbox install: nothing was changed; without a terminal, use --yes\n',
    ]);
    expect(out).toContain(`write /${UNIT} (0644)\n`);
    expect(existsSync(join(root, 'etc'))).toBe(false);
  });

  test('to go on if the answer is no', async () => {
    const root = emptyRoot('no');
    const { code, asked } = await onMachine({}, false, 'install', 'hub', '--root', root);
    expect([code, asked]).toEqual([1, ['Address', 'Continue?']]);
    expect(existsSync(join(root, 'etc'))).toBe(false);
  });

  test('wrong arguments', async () => {
    expect((await run('install', 'everything')).code).toBe(2);
    expect((await run('install', '--root')).code).toBe(2);
    const { code, text } = await onMachine({}, true, 'install', 'hub', '--managed', '--print');
    expect([code, text]).toEqual([1, 'signalbox install: --managed applies only to the agent']);
    for (const [words, reason] of [
      [['hub', '--invite'], '--invite applies only to the agent'],
      [['agent', 'https://vps.example'], 'a URL is only for --invite'],
      [['agent', '--invite', 'vps.example'], '--invite takes an address such as'],
    ] as const) {
      const refused = await onMachine({}, true, 'install', ...words, '--print');
      expect([refused.code, refused.text]).toEqual([1, expect.stringContaining(reason)]);
    }
  });
});

describe('where the dashboard listens', () => {
  const settings = (root: string) => readFileSync(join(root, 'etc/signalbox/hub.env'), 'utf8');
  const host = { addresses: async () => ['192.168.1.5'] };

  test('is not overwritten, not the agent’s business, and one address', async () => {
    const root = emptyRoot('listens-again');
    mkdirSync(join(root, 'etc/signalbox'), { recursive: true });
    writeFileSync(join(root, 'etc/signalbox/hub.env'), 'HUB_PORT=3003\n');
    const listen = ['--root', root, '--yes', '--listen', '0.0.0.0'];
    const kept = await onMachine(host, true, 'install', 'hub', ...listen);
    expect(kept.code).toBe(1);
    expect(kept.text).toContain('set HUB_HOST=0.0.0.0 in /etc/signalbox/hub.env');
    expect(settings(root)).toBe('HUB_PORT=3003\n');
    const agent = await onMachine(host, true, 'install', 'agent', '--managed', ...listen);
    expect([agent.code, agent.text]).toEqual([1, 'signalbox install: --listen is for the hub']);
    const odd = ['--root', emptyRoot('listens-odd'), '--yes', '--listen', '::1\nSIGN_UP=open'];
    expect((await onMachine(host, true, 'install', 'hub', ...odd)).code).toBe(1);
  });

  test('is this machine only without a terminal or with --yes, which is said', async () => {
    for (const [name, more, words] of [
      ['listens-piped', { hasTerminal: false }, ['--yes']],
      ['listens-yes', {}, ['--yes']],
      ['listens-print', {}, ['--print']],
    ] as const) {
      const root = emptyRoot(name);
      const all = ['install', 'hub', '--root', root, ...words];
      const { code, text, asked } = await onMachine({ ...host, ...more }, true, ...all);
      expect([code, asked]).toEqual([0, []]);
      expect(text).toContain(
        '\nThe dashboard will be at http://127.0.0.1:3000; --listen HOST chooses another address.\n',
      );
      expect(text).toContain('  ssh -L 3000:127.0.0.1:3000 user@192.168.1.5\n');
      if (name !== 'listens-print') expect(settings(root)).toContain('\n#HUB_HOST=');
    }
  });

  test('is asked on a terminal, or set by --listen', async () => {
    const asked = emptyRoot('listens-asked');
    const answer = await runHere(['install', 'hub', '--root', asked], {
      host,
      agrees: true,
      answer: '192.168.1.5',
    });
    expect([answer.code, answer.asked]).toEqual([0, ['Address', 'Continue?']]);
    expect(answer.text).toContain('  192.168.1.5      your network\n');
    expect(settings(asked)).toContain('\nHUB_HOST=192.168.1.5\n');
    const given = emptyRoot('listens-given');
    const words = ['install', 'hub', '--root', given, '--listen', '0.0.0.0'];
    const { code, asked: questions, text } = await onMachine(host, true, ...words);
    expect([code, questions]).toEqual([0, ['Continue?']]);
    expect(settings(given)).toContain('\nHUB_HOST=0.0.0.0\n');
    expect(text).toContain('The dashboard will be at http://192.168.1.5:3000.\n');
    expect(text).not.toContain('http://0.0.0.0');
  });
});

describe('signalbox install', () => {
  test('--print only prints, without root', async () => {
    const root = emptyRoot('printed');
    const host = { isRoot: false, hasTerminal: false, runsSystemd: false };
    const { code, text, asked } = await onMachine(
      host,
      true,
      'install',
      'hub',
      '--print',
      '--root',
      root,
    );
    expect([code, asked]).toEqual([0, []]);
    expect(text).toContain('    ExecStart=/usr/local/bin/signalbox hub\n');
    expect(existsSync(join(root, 'etc'))).toBe(false);
    expect((await onMachine(host, true, 'install', 'hub', '--print')).code).toBe(0);
  });

  test('writes below another root, only once, and uninstall undoes it', async () => {
    const root = emptyRoot('image');
    const first = await run('install', 'hub', '--root', root, '--yes');
    expect([first.code, first.err]).toEqual([0, '']);
    const token = readFileSync(join(root, TOKEN), 'utf8');
    expect(token.trim().length).toBeGreaterThanOrEqual(32);
    expect(first.out).not.toContain(token.trim());
    expect(first.out).not.toContain('systemctl daemon-reload');
    expect(first.out).toContain(`put it at ${root}/usr/local/bin/signalbox.`);
    expect(statSync(join(root, TOKEN)).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, 'etc/signalbox/hub.env')).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, UNIT)).mode & 0o777).toBe(0o644);

    writeFileSync(join(root, 'etc/signalbox/hub.env'), 'HUB_PORT=3003\n');
    const again = await run('install', 'hub', '--root', root, '--yes');
    expect([again.code, again.out]).toEqual([0, 'Nothing to do.\n']);
    expect(readFileSync(join(root, TOKEN), 'utf8')).toBe(token);

    expect((await run('uninstall', 'agent', '--root', root, '--yes')).code).toBe(1);
    expect((await run('uninstall', '--root', root, '--yes')).code).toBe(0);
    expect(existsSync(join(root, UNIT))).toBe(false);
    expect(readFileSync(join(root, 'etc/signalbox/hub.env'), 'utf8')).toBe('HUB_PORT=3003\n');
    expect((await run('uninstall', '--purge', '--root', root, '--yes')).code).toBe(0);
    expect(existsSync(join(root, TOKEN))).toBe(false);
  });

  test('stops with the reason if a command fails', () => {
    const command = ['sh', '-c', 'echo Job failed >&2; exit 3'];
    expect(() => carryOut({ do: 'run', command }, folder)).toThrow('Job failed');
  });

  test('shows of a command what is for people, of the last start alone', () => {
    const shows = { after: 'begin', starts: ['note', 'line: '] };
    const print = (text: string) =>
      carryOut({ do: 'run', command: ['printf', text], shows }, folder);
    expect(print('begin\nline: 1\nbegin 2\nother\nnote\nline: 2\n')).toEqual(['note', 'line: 2']);
    for (const text of ['line: 1\n', 'line: 1\nbegin\n']) {
      expect(() => print(text)).toThrow('does not show the expected output');
    }
  });

  test('does not start a program from a folder that others can write to', () => {
    expect(isSafe(join(folder, 'signalbox'))).toBe(false);
    expect(isSafe('/usr/bin/with space')).toBe(false);
    expect(isSafe('/nowhere/at/all')).toBe(false);
  });
});

const isRoot = process.getuid?.() === 0;
const group = /^caddy:[^:]*:(\d+):/m.exec(readFileSync('/etc/group', 'utf8'))?.[1];
const user = /^caddy:[^:]*:(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[1];

test.skipIf(!isRoot || group === undefined || user === undefined)(
  'as root, lets the user caddy replace the Caddyfile until uninstall',
  async () => {
    const root = emptyRoot('debian');
    const caddyfile = join(root, 'etc/caddy/Caddyfile');
    for (const path of ['etc/caddy', 'etc/systemd/system']) {
      mkdirSync(join(root, path), { recursive: true, mode: 0o755 });
    }
    // Every user may enter the folders on the path.
    execFileSync('chmod', ['755', folder, root]);
    writeFileSync(join(root, 'etc/group'), `root:x:0:\ncaddy:x:${group}:\n`);
    writeFileSync(join(root, 'etc/systemd/system/caddy.service'), '');
    writeFileSync(caddyfile, 'old');
    const replace = () => {
      const ids = { uid: Number(user), gid: Number(group) };
      const script = 'echo new > "$1.candidate" && mv "$1.candidate" "$1"';
      execFileSync('sh', ['-c', script, 'sh', caddyfile], { ...ids, stdio: 'ignore' });
    };
    expect(replace).toThrow();

    const installed = await run('install', 'agent', '--root', root, '--yes');
    expect([installed.code, installed.err]).toEqual([0, '']);
    expect(installed.out).toContain('change owner and mode of /etc/caddy\n');
    replace();
    expect(statSync(caddyfile).uid).toBe(Number(user));

    expect((await run('uninstall', '--root', root, '--yes')).code).toBe(0);
    expect(replace).toThrow();
    expect(readFileSync(caddyfile, 'utf8')).toBe('new\n');
    const { uid, gid, mode } = statSync(caddyfile);
    expect([uid, gid, mode & 0o777]).toEqual([0, 0, 0o644]);
    expect(statSync(join(root, 'etc/caddy')).mode & 0o7777).toBe(0o755);
  },
);
