/** Plans the steps of `install` and `uninstall` from the state of the machine; changes nothing. */
import { ROLES, type Role } from '../settings.ts';
import {
  CADDY_FILE,
  CADDY_FOLDER,
  INSTALLED,
  type Installed,
  PROGRAM,
  SETTINGS_FOLDER,
  TOKEN_FILE,
  UNIT_FOLDER,
} from './layout.ts';
import { settingsText, unitText } from './unit.ts';

export type Owner = { uid: number; gid: number; mode: number };

/** The state of the machine. Paths are as that machine sees them, wherever its root folder is. */
export type SystemState = {
  /** A file's text, `''` if it cannot be read, null if there is no file. */
  text: (path: string) => string | null;
  owner: (path: string) => Owner | null;
  caddy: {
    /** The ID of the group `caddy`. */
    gid: number | null;
    /** Whether there is a caddy.service, and whether it is running. */
    unit: boolean;
    runs: boolean;
    /** Whether the program is installed; true for another root folder, where that is unknown. */
    program: boolean;
  };
  /** Whether this is the running system, not another root folder. */
  live: boolean;
  /** The running binary, and whether only root can change it; null when run from source. */
  program: { path: string; safe: boolean } | null;
};

export type Step =
  | {
      do: 'write';
      path: string;
      mode: number;
      text: string;
      before: string | null;
      secret: boolean;
    }
  | { do: 'copy'; from: string; to: string }
  | { do: 'own'; path: string; from: Owner; to: Owner }
  | { do: 'remove'; path: string }
  | { do: 'run'; command: readonly string[] };

/** The message says in a sentence what is in the way. */
export class CannotInstall extends Error {}

/** Owners and modes before the installation, for `uninstall`. */
const RECORD = `${SETTINGS_FOLDER}/before-agent.json`;
/** Present if `install` copied the program to PROGRAM. */
const COPIED = `${SETTINGS_FOLDER}/program-copied`;

const unitPath = ({ unit }: Installed) => `${UNIT_FOLDER}/${unit}`;

const installedIn = (system: SystemState): Role[] =>
  ROLES.filter((role) => system.text(unitPath(INSTALLED[role])) !== null);

/**
 * @param managed for the agent: it runs Caddy itself, instead of caddy.service
 * @param secret generates a token
 * @throws CannotInstall
 */
export function planInstall(
  role: Role,
  managed: boolean,
  system: SystemState,
  secret: () => string,
): Step[] {
  const inTheWay = installedIn(system).find((other) => (role === 'all') !== (other === 'all'));
  if (inTheWay !== undefined) {
    throw new CannotInstall(`${INSTALLED[inTheWay].unit} is installed: uninstall it first`);
  }
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
  const installed = INSTALLED[role];
  const write = (path: string, mode: number, text: string, secret = false): Step[] => {
    const before = system.text(path);
    return before === text ? [] : [{ do: 'write', path, mode, text, before, secret }];
  };
  const writeOnce = (path: string, mode: number, text: () => string, secret = false): Step[] =>
    system.text(path) === null ? write(path, mode, text(), secret) : [];
  const { program } = system;
  const copies = system.live && program !== null && !program.safe;
  const path = system.live && program?.safe ? program.path : PROGRAM;
  return [
    ...(copies
      ? [{ do: 'copy' as const, from: program.path, to: PROGRAM }, ...write(COPIED, 0o644, '')]
      : []),
    ...(role === 'all' ? [] : writeOnce(TOKEN_FILE, 0o600, () => `${secret()}\n`, true)),
    ...writeOnce(installed.settings, 0o600, () => settingsText(role)),
    ...(beside && system.caddy.gid !== null ? openFolder(system, system.caddy.gid, writeOnce) : []),
    // It may have been installed beside caddy.service before.
    ...(role === 'agent' && managed ? giveBack(system) : []),
    ...write(unitPath(installed), 0o644, unitText({ role, program: path, managed })),
    ...(system.live
      ? [
          run('systemctl', 'daemon-reload'),
          run('systemctl', 'enable', installed.unit),
          // Also starts it if it is not running.
          run('systemctl', 'restart', installed.unit),
        ]
      : []),
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
 * @param which one role, or null for all that are installed
 * @param purge also removes data and settings
 * @throws CannotInstall
 */
export function planUninstall(which: Role | null, purge: boolean, system: SystemState): Step[] {
  const installed = installedIn(system);
  const going = which === null ? installed : installed.filter((role) => role === which);
  // Data that an earlier uninstall kept can be purged later.
  const purged = purge ? (which === null ? ROLES : [which]) : [];
  const staying = installed.filter((role) => !going.includes(role));
  const remove = (path: string): Step[] =>
    system.owner(path) === null ? [] : [{ do: 'remove', path }];
  const steps = [
    ...going.flatMap((role) => [
      ...(system.live ? [run('systemctl', 'disable', '--now', INSTALLED[role].unit)] : []),
      ...remove(unitPath(INSTALLED[role])),
    ]),
    ...(system.live && going.length > 0 ? [run('systemctl', 'daemon-reload')] : []),
    ...(staying.includes('agent') ? [] : giveBack(system)),
    ...(staying.length === 0 && system.text(COPIED) !== null
      ? [...remove(PROGRAM), ...remove(COPIED)]
      : []),
    ...purged.flatMap((role) => {
      const { state, settings } = INSTALLED[role];
      // Hub and one-machine mode share a folder; that of a dynamic user is below `private`.
      const shared = staying.some((other) => INSTALLED[other].state === state);
      const folders = shared ? [] : [`/var/lib/${state}`, `/var/lib/private/${state}`];
      return [...remove(settings), ...folders.flatMap(remove)];
    }),
    ...(purge && staying.every((role) => role === 'all') ? remove(TOKEN_FILE) : []),
  ];
  if (steps.length === 0) throw new CannotInstall('nothing is installed here');
  // Hub and one-machine mode name the same folder.
  const removed = (step: Step) => (step.do === 'remove' ? step.path : null);
  return steps.filter((step, at) => {
    const path = removed(step);
    return path === null || steps.findIndex((other) => removed(other) === path) === at;
  });
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
