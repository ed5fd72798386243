/** What installing and uninstalling come to, as steps: what is seen of a machine in, a plan out. */
import {
  CADDY_FILE,
  CADDY_FOLDER,
  INSTALLED,
  type Installed,
  PARTS,
  type Part,
  PROGRAM,
  SETTINGS_FOLDER,
  TOKEN_FILE,
  UNIT_FOLDER,
} from './parts.ts';
import { settingsText, unitText } from './unit.ts';

export type Owner = { uid: number; gid: number; mode: number };

/** All paths are those of the machine that is looked at, wherever its root is. */
export type Seen = {
  /** A file's text, `''` for one that cannot be read here, null where there is none. */
  text: (path: string) => string | null;
  owner: (path: string) => Owner | null;
  caddy: {
    /** Of the group `caddy`. */
    gid: number | null;
    /** Whether there is a caddy.service, and whether it runs now. */
    unit: boolean;
    runs: boolean;
    /** Whether there is the program; true where that is not to be known. */
    program: boolean;
  };
  /** Whether systemd is to be told. */
  live: boolean;
  /** The program that runs, where it is a single binary, and whether only root can change it there. */
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

/** Says in a sentence why it cannot be done. */
export class CannotInstall extends Error {}

/** Who owned what before: for `uninstall`. */
const RECORD = `${SETTINGS_FOLDER}/before-agent.json`;
/** Says that the program at PROGRAM was put there by `install`. */
const COPIED = `${SETTINGS_FOLDER}/program-copied`;

const unitPath = ({ unit }: Installed) => `${UNIT_FOLDER}/${unit}`;

/**
 * @param secret makes a token
 * @throws CannotInstall
 */
export function planInstall(
  part: Part,
  managed: boolean,
  seen: Seen,
  secret: () => string,
): Step[] {
  const others = PARTS.filter((one) => seen.text(unitPath(INSTALLED[one])) !== null);
  const inTheWay = others.find((one) => (part === 'all') !== (one === 'all'));
  if (inTheWay !== undefined) {
    throw new CannotInstall(`${INSTALLED[inTheWay].unit} is installed: uninstall it first`);
  }
  const beside = part === 'agent' && !managed;
  if (beside && (!seen.caddy.unit || seen.caddy.gid === null)) {
    throw new CannotInstall(
      'there is no caddy.service with a user caddy (apt-get install caddy brings it); with --managed the agent runs a Caddy of its own',
    );
  }
  if (part !== 'hub' && !beside && seen.caddy.runs) {
    throw new CannotInstall(
      'caddy.service runs, and has the ports: end it (systemctl disable --now caddy), or install agent and hub beside it',
    );
  }
  if (part !== 'hub' && !seen.caddy.program) {
    throw new CannotInstall('there is no program caddy: install it with apt-get install caddy');
  }
  const installed = INSTALLED[part];
  const write = (path: string, mode: number, text: string, secret = false): Step[] => {
    const before = seen.text(path);
    return before === text ? [] : [{ do: 'write', path, mode, text, before, secret }];
  };
  const writeOnce = (path: string, mode: number, text: () => string, secret = false): Step[] =>
    seen.text(path) === null ? write(path, mode, text(), secret) : [];
  const { program } = seen;
  const copies = seen.live && program !== null && !program.safe;
  const path = seen.live && program?.safe ? program.path : PROGRAM;
  return [
    ...(copies
      ? [{ do: 'copy' as const, from: program.path, to: PROGRAM }, ...write(COPIED, 0o644, '')]
      : []),
    ...(part === 'all' ? [] : writeOnce(TOKEN_FILE, 0o600, () => `${secret()}\n`, true)),
    ...writeOnce(installed.settings, 0o600, () => settingsText(part)),
    ...(beside && seen.caddy.gid !== null ? openFolder(seen, seen.caddy.gid, writeOnce) : []),
    // It may have been beside caddy.service before.
    ...(part === 'agent' && managed ? giveBack(seen) : []),
    ...write(unitPath(installed), 0o644, unitText({ part, program: path, managed })),
    ...(seen.live
      ? [
          run('systemctl', 'daemon-reload'),
          run('systemctl', 'enable', installed.unit),
          // Starts it where it does not run.
          run('systemctl', 'restart', installed.unit),
        ]
      : []),
  ];
}

const run = (...command: string[]): Step => ({ do: 'run', command });

/** Lets the group caddy replace the Caddyfile: a file is replaced by who may write its folder. */
function openFolder(
  seen: Seen,
  gid: number,
  writeOnce: (path: string, mode: number, text: () => string) => Step[],
): Step[] {
  const folder = seen.owner(CADDY_FOLDER);
  if (folder === null) throw new CannotInstall(`there is no folder ${CADDY_FOLDER}`);
  if (folder.gid === gid && (folder.mode & 0o070) === 0o070) return [];
  const before = { folder, file: seen.owner(CADDY_FILE) };
  const to = { ...folder, gid, mode: folder.mode | 0o070 };
  return [
    ...writeOnce(RECORD, 0o644, () => `${JSON.stringify(before)}\n`),
    { do: 'own', path: CADDY_FOLDER, from: folder, to },
  ];
}

/**
 * @param which one part, or null for all that are there
 * @param purge also what they have kept
 * @throws CannotInstall
 */
export function planUninstall(which: Part | null, purge: boolean, seen: Seen): Step[] {
  const there = PARTS.filter((one) => seen.text(unitPath(INSTALLED[one])) !== null);
  const going = which === null ? there : there.filter((one) => one === which);
  // What was kept may be purged later.
  const purged = purge ? (which === null ? PARTS : [which]) : [];
  const staying = there.filter((one) => !going.includes(one));
  const remove = (path: string): Step[] =>
    seen.owner(path) === null ? [] : [{ do: 'remove', path }];
  const steps = [
    ...going.flatMap((part) => [
      ...(seen.live ? [run('systemctl', 'disable', '--now', INSTALLED[part].unit)] : []),
      ...remove(unitPath(INSTALLED[part])),
    ]),
    ...(seen.live && going.length > 0 ? [run('systemctl', 'daemon-reload')] : []),
    ...(staying.includes('agent') ? [] : giveBack(seen)),
    ...(staying.length === 0 && seen.text(COPIED) !== null
      ? [...remove(PROGRAM), ...remove(COPIED)]
      : []),
    ...purged.flatMap((part) => {
      const { state, settings } = INSTALLED[part];
      // The hub and the one-machine mode share theirs; a dynamic user's lies in a closed folder.
      const shared = staying.some((one) => INSTALLED[one].state === state);
      const folders = shared ? [] : [`/var/lib/${state}`, `/var/lib/private/${state}`];
      return [...remove(settings), ...folders.flatMap(remove)];
    }),
    ...(purge && staying.every((one) => one === 'all') ? remove(TOKEN_FILE) : []),
  ];
  if (steps.length === 0) throw new CannotInstall('there is nothing of it here');
  // The hub and the one-machine mode name the same folder.
  const removed = (step: Step) => (step.do === 'remove' ? step.path : null);
  return steps.filter((step, at) => {
    const path = removed(step);
    return path === null || steps.findIndex((one) => removed(one) === path) === at;
  });
}

/** Folder and file belong again to whom they did before the agent came; the text stays. */
function giveBack(seen: Seen): Step[] {
  const record = seen.text(RECORD);
  if (record === null) return [];
  const before = JSON.parse(record) as { folder: Owner; file: Owner | null };
  const owners = [
    { path: CADDY_FOLDER, to: before.folder },
    { path: CADDY_FILE, to: before.file },
  ].flatMap(({ path, to }): Step[] => {
    const from = seen.owner(path);
    if (from === null || to === null || sameOwner(from, to)) return [];
    return [{ do: 'own', path, from, to }];
  });
  return [...owners, { do: 'remove', path: RECORD }];
}

const sameOwner = (a: Owner, b: Owner) => a.uid === b.uid && a.gid === b.gid && a.mode === b.mode;
