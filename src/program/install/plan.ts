/** Plans the steps of `install` and `uninstall` from the state of the machine; changes nothing. */
import type { Role } from '../../shared/setting.ts';
import {
  CADDY_FILE,
  CADDY_FOLDER,
  INSTALLED,
  PRIVATE_STATE,
  PROGRAM,
  SETTINGS_FOLDER,
  TOKEN_FILE,
  UNIT_FOLDER,
  UNITS,
  type Unit,
} from './layout.ts';
import { CannotInstall, type Owner, type Step, type SystemState } from './steps.ts';
import { settingsText, unitText } from './unit.ts';

/** Owners and modes before the installation, for `uninstall`. */
const RECORD = `${SETTINGS_FOLDER}/before-agent.json`;
/** Present if `install` copied the program to PROGRAM. */
const COPIED = `${SETTINGS_FOLDER}/program-copied`;

const unitPath = ({ unit }: { unit: string }) => `${UNIT_FOLDER}/${unit}`;

const installedIn = (system: SystemState): Unit[] =>
  UNITS.filter((unit) => system.text(unitPath(INSTALLED[unit])) !== null);

/** Whether an installation would write the hub's settings, and so decide where the hub listens. */
export const decidesHost = (role: Role, system: SystemState): boolean =>
  role !== 'agent' && system.text(INSTALLED.hub.settings) === null;

/**
 * @param role `all`: the hub, and an agent that runs Caddy
 * @param managed for the agent: it runs Caddy itself, instead of caddy.service
 * @param listen the address that the hub is to listen on; null: only on this machine
 * @param secret generates a token
 * @param invite for the agent: it has no token, and invites a hub, which is to reach it at `url`
 * @throws CannotInstall
 */
export function planInstall(
  role: Role,
  managed: boolean,
  listen: string | null,
  system: SystemState,
  secret: () => string,
  invite: { url: string | null } | null = null,
): Step[] {
  if (listen !== null && !decidesHost(role, system)) {
    throw new CannotInstall(
      role === 'agent'
        ? '--listen is for the hub'
        : `settings are never overwritten: set HUB_HOST=${listen} in ${INSTALLED.hub.settings} instead of --listen`,
    );
  }
  const units = role === 'all' ? UNITS : [role];
  const runsCaddy = role === 'all' || managed;
  const beside = role === 'agent' && !managed;
  if (beside && (!system.caddy.unit || system.caddy.gid === null)) {
    throw new CannotInstall(
      'there is no caddy.service with a group caddy: install it (apt-get install caddy), or let the agent run Caddy itself (--managed)',
    );
  }
  if (role !== 'hub' && !beside && system.caddy.runs) {
    throw new CannotInstall(
      'caddy.service is running and has the ports: stop it (systemctl disable --now caddy), or install agent and hub beside it',
    );
  }
  if (role !== 'hub' && !system.caddy.program) {
    throw new CannotInstall('Caddy is not installed: apt-get install caddy');
  }
  const write = (path: string, mode: number, text: string, secret = false): Step[] => {
    const before = system.text(path);
    return before === text ? [] : [{ do: 'write', path, mode, text, before, secret }];
  };
  const writeOnce = (path: string, mode: number, text: () => string, secret = false): Step[] =>
    system.text(path) === null ? write(path, mode, text(), secret) : [];
  const invited = role === 'agent' && (invite !== null || isInvited(system));
  // The hub is on another machine, and the connection is encrypted.
  const host = invited ? '0.0.0.0' : listen;
  const { program } = system;
  const copies = system.live && program !== null && !program.safe;
  const path = system.live && program?.safe ? program.path : PROGRAM;
  const systemctl = (...words: string[]): Step[] =>
    system.live ? [run('systemctl', ...words)] : [];
  return [
    ...(copies
      ? [{ do: 'copy' as const, from: program.path, to: PROGRAM }, ...write(COPIED, 0o644, '')]
      : []),
    ...(invited ? [] : writeOnce(TOKEN_FILE, 0o600, () => `${secret()}\n`, true)),
    ...units.flatMap((unit) =>
      writeOnce(INSTALLED[unit].settings, 0o600, () => settingsText(unit, host)),
    ),
    ...(beside && system.caddy.gid !== null ? openFolder(system, system.caddy.gid, writeOnce) : []),
    // It may have been installed beside caddy.service before.
    ...(runsCaddy ? giveBack(system) : []),
    ...units.flatMap((unit) =>
      write(
        unitPath(INSTALLED[unit]),
        0o644,
        unitText({ role: unit, program: path, managed: runsCaddy, invited }),
      ),
    ),
    ...(invite === null ? [] : inviteAtStart(path, invite.url, system)),
    ...systemctl('daemon-reload'),
    ...units.flatMap((unit) => [
      ...systemctl('enable', INSTALLED[unit].unit),
      // Also starts it if it is not running.
      ...systemctl('restart', INSTALLED[unit].unit),
    ]),
    ...(invite === null ? [] : afterInvitation()),
  ];
}

const run = (...command: string[]): Step => ({ do: 'run', command });

/** Lets the group caddy replace the Caddyfile: that takes write permission on the folder. */
function openFolder(
  system: SystemState,
  gid: number,
  writeOnce: (path: string, mode: number, text: () => string) => Step[],
): Step[] {
  const folder = system.owner(CADDY_FOLDER);
  if (folder === null) throw new CannotInstall(`there is no folder ${CADDY_FOLDER}`);
  if (folder.gid === gid && (folder.mode & 0o070) === 0o070) return [];
  const before = { folder, file: system.owner(CADDY_FILE) };
  const to = { ...folder, gid, mode: folder.mode | 0o070 };
  return [
    ...writeOnce(RECORD, 0o644, () => `${JSON.stringify(before)}\n`),
    { do: 'own', path: CADDY_FOLDER, from: folder, to },
  ];
}

/**
 * @param which one role, or null for everything that is installed; `all` means the same
 * @param purge also removes data and settings
 * @throws CannotInstall
 */
export function planUninstall(which: Role | null, purge: boolean, system: SystemState): Step[] {
  const named = which === null || which === 'all' ? UNITS : [which];
  const installed = installedIn(system);
  const gone = installed.filter((unit) => named.includes(unit)).map((unit) => INSTALLED[unit]);
  const staying = installed.filter((unit) => !named.includes(unit));
  const isLast = staying.length === 0;
  const remove = (path: string): Step[] =>
    system.owner(path) === null ? [] : [{ do: 'remove', path }];
  const steps = [
    ...gone.flatMap((unit) => [
      ...(system.live ? [run('systemctl', 'disable', '--now', unit.unit)] : []),
      ...remove(unitPath(unit)),
    ]),
    ...(system.live && gone.length > 0 ? [run('systemctl', 'daemon-reload')] : []),
    ...(staying.includes('agent') ? [] : giveBack(system)),
    ...(isLast && system.text(COPIED) !== null ? [...remove(PROGRAM), ...remove(COPIED)] : []),
    // Data that an earlier uninstall kept can be purged later.
    ...(purge ? named : []).flatMap((unit) => {
      const { state, settings } = INSTALLED[unit];
      return [settings, `/var/lib/${state}`, `${PRIVATE_STATE}/${state}`].flatMap(remove);
    }),
    ...(purge && isLast ? remove(TOKEN_FILE) : []),
  ];
  if (steps.length === 0) throw new CannotInstall('nothing is installed here');
  return steps;
}

/** Restores owners and modes as they were before the agent was installed; keeps the text. */
function giveBack(system: SystemState): Step[] {
  const record = system.text(RECORD);
  if (record === null) return [];
  const before = JSON.parse(record) as { folder: Owner; file: Owner | null };
  const owners = [
    { path: CADDY_FOLDER, to: before.folder },
    { path: CADDY_FILE, to: before.file },
  ].flatMap(({ path, to }): Step[] => {
    const from = system.owner(path);
    if (from === null || to === null || sameOwner(from, to)) return [];
    return [{ do: 'own', path, from, to }];
  });
  return [...owners, { do: 'remove', path: RECORD }];
}

const sameOwner = (a: Owner, b: Owner) => a.uid === b.uid && a.gid === b.gid && a.mode === b.mode;

// How `install agent --invite` has the unit invite a hub: by a drop-in below /run, which is there for
// one start alone. The unit itself starts an agent that is enrolled.

const AGENT = INSTALLED.agent;

/** Lost with the machine's next start in any case (systemd.unit(5)). */
const DROP_IN = `/run/systemd/system/${AGENT.unit}.d/invite.conf`;

/** What the first line of an agent that listens begins with, and what of the next ones is for people. */
const BEGIN = 'agent listening on ';
const FOR_PEOPLE = ['Only a hub on this machine', 'invitation: '];

/** Whether the unit that is installed is of an agent without a token, which an upgrade must not get. */
function isInvited(system: SystemState): boolean {
  const text = system.text(unitPath(AGENT));
  return text !== null && !text.includes('AGENT_TOKEN_FILE=');
}

/**
 * @param url where the hub is to reach the agent, in normal form; null: where it listens
 * @throws CannotInstall for another root folder
 */
function inviteAtStart(program: string, url: string | null, { live }: SystemState): Step[] {
  if (!live) throw new CannotInstall('--invite starts the agent: not with --root');
  const command = [program, ...AGENT.words, '--invite', ...(url === null ? [] : [url])].join(' ');
  const text = `[Service]\nExecStart=\nExecStart=${command}\n`;
  return [{ do: 'write', path: DROP_IN, mode: 0o644, text, before: null, secret: false }];
}

/** Once it runs: has later starts invite nobody, and shows the invitation. */
function afterInvitation(): Step[] {
  const journal = [
    'journalctl',
    `--unit=${AGENT.unit}`,
    '--output=cat',
    '--no-pager',
    '--lines=100',
  ];
  return [
    { do: 'remove', path: DROP_IN },
    { do: 'run', command: ['systemctl', 'daemon-reload'] },
    { do: 'run', command: ['journalctl', '--sync'] },
    { do: 'run', command: journal, shows: { after: BEGIN, starts: FOR_PEOPLE } },
  ];
}
