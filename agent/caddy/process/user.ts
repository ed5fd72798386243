/**
 * Gives a managed Caddy a user of its own, so that what a site can read and write is bounded by the
 * operating system.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isBelow } from '../../../src/shared/system/files.ts';
import { workingFolderOf } from './processes.ts';

/** A user other than the agent's. */
export type CaddyUser = {
  uid: number;
  gid: number;
  /** What a command line starts with so that the rest runs as that user. */
  prefix: readonly string[];
  /** Gives Caddy's folders to that user again, as some may be new. @throws file system errors */
  giveFolders: () => void;
};

/** What `separateUser` needs to know of a managed Caddy. */
type ManagedCaddy = {
  bin: string;
  /** The folder for its socket and storage, inside the data folder. */
  folder: string;
  /** The path of its admin endpoint's socket; null if it is on TCP. */
  socket: string | null;
  accessLog: string;
  /** Its whole environment. */
  env: Record<string, string>;
  /** The text of /etc/passwd. */
  passwd: string;
};

/** The user that Debian's package creates. */
const NAME = 'caddy';
/** Without that user: an id that neither Debian nor systemd assigns (systemd.io/UIDS-GIDS). */
const UNASSIGNED = 61_131;
const CAPABILITIES = '-all,+net_bind_service';

/**
 * Gives Caddy's folders to Caddy's user, and lets that user pass through the data folder, and work in an
 * empty one, but not read or change them. Only root can do so.
 * @returns the user; or, as a sentence, why Caddy has to share the agent's, with the folders put back
 * @throws file system errors
 */
export function separateUser(caddy: ManagedCaddy): CaddyUser | string {
  const [, uid = UNASSIGNED, gid = uid] =
    new RegExp(`^${NAME}:[^:]*:(\\d+):(\\d+):`, 'm').exec(caddy.passwd)?.map(Number) ?? [];
  const { folder, socket, accessLog } = caddy;
  const passed = [dirname(folder), folder, workingFolderOf(folder)];
  const isInside = (path: string) => path.startsWith(`${dirname(folder)}/`);
  const logs = dirname(accessLog);
  const own = [
    ...['data', 'config', 'validate'].map((name) => join(folder, name)),
    ...(socket === null ? [] : [dirname(socket)]),
    ...(isInside(logs) || !existsSync(logs) ? [logs] : []),
  ];
  const give = (to: { uid: number; gid: number }, mode: number) => {
    for (const path of passed) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      chownSync(path, 0, to.gid);
      chmodSync(path, mode);
    }
    for (const path of own) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      if (isInside(path)) giveTree(path, to);
      // Elsewhere, such as in /tmp, it could be someone else's.
      else if ([0, uid].includes(lstatSync(path).uid)) lchownSync(path, to.uid, to.gid);
    }
  };
  const giveFolders = () => give({ uid, gid }, 0o710);
  giveFolders();
  const prefix = prefixFor(uid, gid);
  const reason =
    prefix === null
      ? 'setpriv (util-linux) is not installed.'
      : whyNot({ ...caddy, prefix, folders: [...own, logs] });
  if (prefix !== null && reason === null) return { uid, gid, prefix, giveFolders };
  give({ uid: 0, gid: 0 }, 0o700);
  return `Caddy runs as root, like signalbox, so its sites can reach everything that root can: ${reason}`;
}

function prefixFor(uid: number, gid: number): string[] | null {
  const setpriv = Bun.which('setpriv');
  if (setpriv === null) return null;
  return [
    setpriv,
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--no-new-privs',
    // To listen on ports 80 and 443.
    `--inh-caps=${CAPABILITIES}`,
    `--ambient-caps=${CAPABILITIES}`,
    `--bounding-set=${CAPABILITIES}`,
    '--',
  ];
}

/** Tries what Caddy will have to do. */
function whyNot(of: ManagedCaddy & { prefix: string[]; folders: string[] }): string | null {
  const start = (command: string[]) =>
    Bun.spawnSync(command, { env: of.env, cwd: '/', timeout: 10_000 }).success;
  const run = (...command: string[]) => start([...of.prefix, ...command]);
  // One that starts for nobody is not used, and says nothing about the copy that is.
  if (!run(of.bin, 'version') && start([of.bin, 'version'])) {
    return 'as a separate user it does not start.';
  }
  const files = [...of.folders, ...(existsSync(of.accessLog) ? [of.accessLog] : [])];
  // All at once: the program starts only after that.
  if (run('test', ...files.flatMap((path, at) => [...(at > 0 ? ['-a'] : []), '-w', path])))
    return null;
  const closed = files.find((path) => !run('test', '-w', path)) ?? of.folder;
  // The status shows this, and it shows no paths.
  const setting = isBelow(closed, dirname(of.folder)) ? 'DATA_DIR' : 'ACCESS_LOG';
  return `a separate user could not write to ${setting}. Move it to a folder that other users may enter, such as /var/lib/signalbox.`;
}

/**
 * A folder and all that is in it, links themselves and not what they lead to. Complete once the folder
 * itself has its new owner.
 */
function giveTree(path: string, to: { uid: number; gid: number }): void {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) throw new Error(`${path} must be a folder`);
  if (stat.uid === to.uid) {
    // Somebody opened it; where others may write, what is in it may be theirs.
    if ((stat.mode & 0o022) === 0 && (stat.mode & 0o077) !== 0) chmodSync(path, 0o700);
    return;
  }
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    lchownSync(join(path, name), to.uid, to.gid);
  }
  chmodSync(path, 0o700);
  lchownSync(path, to.uid, to.gid);
}
