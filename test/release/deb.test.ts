// proof: packages
/** The Debian packages: what is in them, and that the same input gives the same bytes. */
import { beforeAll, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debName, debVersion, makeDeb } from '../../scripts/release/deb.ts';
import { unitText } from '../../src/program/install/unit.ts';
import { BUILD_TIMEOUT_MS, ROOT } from '../harness/build.ts';
import { folderForFile } from '../harness/for-file.ts';

const folder = folderForFile();
const hasDpkg = Bun.which('dpkg-deb') !== null;
const DATE = 1_700_000_000;
const CPUS = ['x64', 'arm64'] as const;
const file = (out = 'one', cpu: (typeof CPUS)[number] = 'x64') =>
  join(folder, out, debName('1.2.3', cpu));

/** Runs a command that must succeed. @returns what it printed */
function read(...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  expect([command[0], exitCode, stderr.toString()]).toEqual([command[0], 0, '']);
  return stdout.toString();
}
const field = (name: string) => read('dpkg-deb', '-f', file(), name).trim();
const contentOf = (path: string, reader = 'cat') =>
  read('sh', '-c', `dpkg-deb --fsys-tarfile "$1" | tar -xO "./${path}" | ${reader}`, 'sh', file());

beforeAll(() => {
  const binary = join(folder, 'signalbox-linux-x64');
  writeFileSync(binary, '#!/bin/sh\n', { mode: 0o600 });
  if (!hasDpkg) return console.warn('NOT TESTED, Debian packages: there is no dpkg-deb');
  for (const out of ['one', 'two']) {
    mkdirSync(join(folder, out));
    const making = { root: ROOT, out: join(folder, out), version: '1.2.3', date: DATE };
    for (const cpu of CPUS) makeDeb(binary, cpu, making);
  }
});

test('a pre-release is older than its release', () => {
  expect(debVersion('1.2.0-rc.1')).toBe('1.2.0~rc.1');
  expect(debName('1.2.0', 'arm64')).toBe('signalbox_1.2.0_arm64.deb');
});

test.skipIf(!hasDpkg)('fails for a version that dpkg refuses, and leaves nothing', () => {
  const out = join(folder, 'wrong');
  mkdirSync(out);
  const making = { root: ROOT, out, version: 'one two', date: DATE };
  expect(() => makeDeb(join(folder, 'signalbox-linux-x64'), 'x64', making)).toThrow('dpkg-deb');
  expect(read('ls', '-A', out)).toBe('');
});

test.skipIf(!hasDpkg)('has the program, units and settings, with owners and modes', () => {
  const listed = read(
    'sh',
    '-c',
    'dpkg-deb -c "$1" | awk \'!/\\/$/ {print $1, $2, $4, $6}\'',
    'sh',
    file(),
  );
  expect(listed.split('\n').slice(0, -1)).toEqual([
    '-rw------- root/root 2023-11-14 ./etc/signalbox/agent.env',
    '-rw------- root/root 2023-11-14 ./etc/signalbox/hub.env',
    '-rwxr-xr-x root/root 2023-11-14 ./usr/bin/signalbox',
    '-rw-r--r-- root/root 2023-11-14 ./usr/lib/systemd/system/signalbox-agent.service',
    '-rw-r--r-- root/root 2023-11-14 ./usr/lib/systemd/system/signalbox-hub.service',
    '-rw-r--r-- root/root 2023-11-14 ./usr/lib/sysusers.d/signalbox.conf',
    '-rw-r--r-- root/root 2023-11-14 ./usr/share/doc/signalbox/changelog.gz',
    '-rw-r--r-- root/root 2023-11-14 ./usr/share/doc/signalbox/copyright',
    '-rw-r--r-- root/root 2023-11-14 ./usr/share/lintian/overrides/signalbox',
    '-rw-r--r-- root/root 2023-11-14 ./usr/share/man/man1/signalbox.1.gz',
  ]);
});

test.skipIf(!hasDpkg)('says what it needs, and which files are the administrator’s', () => {
  expect(field('Version')).toBe('1.2.3');
  expect(field('Architecture')).toBe('amd64');
  expect(field('Depends')).toContain('libc6 (>= 2.17), systemd (>= 250)');
  expect(field('Recommends')).toContain('caddy (>= 2.6.2)');
  const conffiles = read('dpkg-deb', '-I', file(), 'conffiles');
  expect(conffiles).toBe('/etc/signalbox/hub.env\n/etc/signalbox/agent.env\n');
});

test.skipIf(!hasDpkg)('has the units of `signalbox install`, but for who wrote them', () => {
  const own = { program: '/usr/bin/signalbox', managed: true };
  for (const role of ['hub', 'agent'] as const) {
    const packed = contentOf(`usr/lib/systemd/system/signalbox-${role}.service`).split('\n');
    const installed = unitText({ role, ...own }).split('\n');
    expect(packed.slice(1)).toEqual(installed.slice(1));
    expect(packed[0]).toStartWith('# Part of the package');
  }
});

test.skipIf(!hasDpkg)('has scripts that a shell can read, and no token', () => {
  for (const script of ['postinst', 'prerm', 'postrm']) {
    const text = read('dpkg-deb', '-I', file(), script);
    const { exitCode, stderr } = Bun.spawnSync(['dash', '-n'], { stdin: Buffer.from(text) });
    expect([script, exitCode, stderr.toString()]).toEqual([script, 0, '']);
  }
  expect(read('dpkg-deb', '-c', file())).not.toContain('agent-token');
});

test.skipIf(!hasDpkg)('has a manual page with all commands and settings', () => {
  const page = contentOf('usr/share/man/man1/signalbox.1.gz', 'gunzip');
  expect(page).toStartWith('.TH SIGNALBOX 1 2023-11-14 "signalbox 1.2.3"\n.SH NAME\n');
  expect(page).toContain('\n  signalbox apply \\-f FILE [OPTIONS]\n');
  expect(page).toContain('\n  signalbox promote [FILE] ');
  expect(page).toContain('\n  LOG_SHIP_URL ');
});

test.skipIf(!hasDpkg || Bun.which('lintian') === null)(
  'has nothing that lintian objects to',
  () => {
    const how = ['--allow-root', '--fail-on', 'error,warning'];
    expect(read('lintian', ...how, ...CPUS.map((cpu) => file('one', cpu)))).toBe('');
  },
  BUILD_TIMEOUT_MS,
);

test.skipIf(!hasDpkg)('is the same to the byte, whenever and wherever it is made', async () => {
  expect(Buffer.compare(await bytesOf('one'), await bytesOf('two'))).toBe(0);
});

const bytesOf = async (out: string) => Buffer.from(await Bun.file(file(out)).bytes());
