/** The Debian packages, by dpkg-deb: the same commit gives the same bytes. */
import {
  chmodSync,
  copyFileSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json';
import { commandsHelp, settingsHelp } from '../../src/program/cli/help.ts';
import { INSTALLED, UNITS } from '../../src/program/install/layout.ts';
import { settingsText, unitText } from '../../src/program/install/unit.ts';
import { ROLES } from '../../src/shared/setting.ts';
import { COMMANDS } from '../../test/harness/commands.ts';
import type { Target } from '../fetch-parts.ts';
import { type Making, place, run } from './making.ts';

const SCRIPTS = join(import.meta.dir, 'debian');
const DOC = 'usr/share/doc/signalbox';
const MAINTAINER = 'signalbox authors <signalbox@users.noreply.github.com>';

/** Debian's name for a processor. */
export const ARCHITECTURES: Readonly<Record<Target['cpu'], string>> = {
  x64: 'amd64',
  arm64: 'arm64',
};

/** A pre-release comes before its release (deb-version(7)). */
export const debVersion = (version: string): string => version.replace('-', '~');

export const debName = (version: string, cpu: Target['cpu']): string =>
  `signalbox_${debVersion(version)}_${ARCHITECTURES[cpu]}.deb`;

/** A tenth larger than the usual, and made in a quarter of the time. */
const COMPRESSION = ['-Zxz', '-z2'];

/**
 * @param binary the program for that processor, with glibc
 * @throws Error if dpkg-deb is missing or fails
 */
export function makeDeb(
  binary: string,
  cpu: Target['cpu'],
  making: Making,
  compression: readonly string[] = COMPRESSION,
): void {
  const tree = mkdtempSync(join(making.out, '.deb-'));
  try {
    fill(tree, binary, cpu, making);
    stamp(tree, making.date);
    const file = join(making.out, debName(making.version, cpu));
    // Several threads give other bytes.
    const how = ['--root-owner-group', '--threads-max=1', ...compression];
    run(['dpkg-deb', ...how, '--build', tree, file], {
      env: { SOURCE_DATE_EPOCH: String(making.date) },
    });
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

/** Makes the package's files, and those that describe them, below `tree`. */
function fill(tree: string, binary: string, cpu: Target['cpu'], { root, version, date }: Making) {
  mkdirSync(join(tree, 'usr/bin'), { recursive: true });
  copyFileSync(binary, join(tree, 'usr/bin/signalbox'));
  chmodSync(join(tree, 'usr/bin/signalbox'), 0o755);
  for (const role of UNITS) {
    const { unit, settings } = INSTALLED[role];
    const text = unitText({ role, program: '/usr/bin/signalbox', managed: true, packaged: true });
    place(tree, `usr/lib/systemd/system/${unit}`, text);
    // As `install` writes them: systemd reads them as root.
    place(tree, settings, settingsText(role), 0o600);
  }
  place(tree, 'usr/lib/sysusers.d/signalbox.conf', sysusers());
  place(tree, `${DOC}/copyright`, readFileSync(join(root, 'LICENSE')));
  place(tree, `${DOC}/changelog.gz`, gzip(changelog(version, date)));
  place(tree, 'usr/share/man/man1/signalbox.1.gz', gzip(manual(version, date)));
  place(
    tree,
    'usr/share/lintian/overrides/signalbox',
    readFileSync(join(SCRIPTS, 'lintian-overrides')),
  );

  const files = filesIn(tree);
  const size = files.reduce((sum, path) => sum + statSync(join(tree, path)).size, 0);
  const sums = files
    .filter((path) => !path.startsWith('etc/'))
    .map((path) => {
      const hash = new Bun.CryptoHasher('md5').update(readFileSync(join(tree, path)));
      return `${hash.digest('hex')}  ${path}\n`;
    });
  place(tree, 'DEBIAN/md5sums', sums.join(''));
  place(tree, 'DEBIAN/conffiles', UNITS.map((role) => `${INSTALLED[role].settings}\n`).join(''));
  place(tree, 'DEBIAN/triggers', 'interest-noawait /usr/bin/caddy\n');
  place(tree, 'DEBIAN/control', control(version, ARCHITECTURES[cpu], Math.ceil(size / 1024)));
  for (const script of ['postinst', 'prerm', 'postrm']) {
    place(tree, `DEBIAN/${script}`, readFileSync(join(SCRIPTS, script)), 0o755);
  }
}

const control = (version: string, architecture: string, kibibytes: number): string => `\
Package: signalbox
Version: ${debVersion(version)}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Installed-Size: ${kibibytes}
Depends: libc6 (>= 2.17), systemd (>= 250), init-system-helpers (>= 1.54~)
Recommends: caddy (>= 2.6.2), ca-certificates
Section: net
Priority: optional
Description: reverse-proxy manager for homelabs
 signalbox puts a dashboard, an API and a changelog in front of Caddy, and makes
 one promise: a change is either live and recorded, or it never happened.
 .
 This package starts two services, the hub with the dashboard on port 3000 of
 this machine, and the agent, which runs Caddy.
`;

/** Users that stay the same; the units would have dynamic ones otherwise (sysusers.d(5)). */
const sysusers = (): string =>
  UNITS.map((role) => {
    const { unit, state } = INSTALLED[role];
    return `u ${unit.replace('.service', '')} - "signalbox ${role}" /var/lib/${state}\n`;
  }).join('');

/** In Debian's own form (deb-changelog(5)); what changed is in CHANGELOG.md. */
const changelog = (version: string, date: number): string => `\
signalbox (${debVersion(version)}) unstable; urgency=medium

  * Release ${version} of ${manifest.name}; see its CHANGELOG.md.

 -- ${MAINTAINER}  ${new Date(date * 1000).toUTCString().replace('GMT', '+0000')}
`;

/** All commands and settings, for man(1). */
const manual = (version: string, date: number): string => `\
.TH SIGNALBOX 1 ${new Date(date * 1000).toISOString().slice(0, 10)} "${manifest.name} ${version}"
.SH NAME
signalbox \\- reverse-proxy manager for homelabs
.SH DESCRIPTION
.nf
${(commandsHelp(COMMANDS) + settingsHelp(ROLES))
  .replaceAll('\\', '\\e')
  .replaceAll('-', '\\-')
  .replaceAll(/^(?=[.'])/gm, '\\&')}`;

/** Without a time in it. */
const gzip = (text: string): Uint8Array => Bun.gzipSync(Buffer.from(text), { level: 9 });

/** Paths of all files below a folder, sorted. */
const filesIn = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((path) => statSync(join(folder, path)).isFile())
    .toSorted();

/** Folders get their mode here, whatever the umask. */
function stamp(tree: string, date: number): void {
  for (const path of ['', ...(readdirSync(tree, { recursive: true }) as string[])]) {
    const full = join(tree, path);
    if (statSync(full).isDirectory()) chmodSync(full, 0o755);
    lutimesSync(full, date, date);
  }
}
