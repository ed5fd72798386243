/** Reads the state of a machine, and carries out the steps of a plan on it. */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { holdersOf, listeningInodes } from '../../../agent/caddy/ports/sockets.ts';
import { isBelow, replaceWhole, syncPath } from '../../shared/system/files.ts';
import { type PortState, STANDARD_PORTS } from '../../shared/wire/proxy.ts';
import { CannotInstall, type Owner, type Shown, type Step, type SystemState } from './steps.ts';

/** Where packages and administrators put units (systemd.unit(5)). */
const UNIT_FOLDERS = ['/etc/systemd/system', '/usr/lib/systemd/system', '/lib/systemd/system'];

/**
 * Reads the state that a plan is made from; changes nothing.
 * @param root the root folder: `/`, or a folder to make a package or an image from
 * @param live whether this is the running system, not another root folder
 * @param program the running binary's path; null when run from source
 * @param which the absolute path of a program, or null
 */
export function readSystem(
  root: string,
  live: boolean,
  program: string | null,
  which: (program: string) => string | null,
): SystemState {
  const text: SystemState['text'] = (path) => {
    try {
      return readFileSync(join(root, path), 'utf8');
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : '';
    }
  };
  const owner: SystemState['owner'] = (path) => ownerOf(join(root, path));
  const gid = /^caddy:[^:]*:(\d+):/m.exec(text('/etc/group') ?? '')?.[1];
  return {
    text,
    owner,
    caddy: {
      gid: gid === undefined ? null : Number(gid),
      unit: UNIT_FOLDERS.some((folder) => owner(`${folder}/caddy.service`) !== null),
      runs: live && isActive('caddy.service'),
      program: !live || which('caddy') !== null,
    },
    ports: live ? Object.values(STANDARD_PORTS).map(portState) : [],
    live,
    program: program === null ? null : { path: program, safe: isSafe(program) },
  };
}

/** Root sees every program, and the units allow Caddy what it needs. */
function portState(port: number): PortState {
  const state = listeningInodes(port).length === 0 ? 'free' : 'held';
  return { port, state, holders: state === 'free' ? [] : holdersOf(port, 'tcp') };
}

function isActive(unit: string): boolean {
  try {
    return Bun.spawnSync(['systemctl', 'is-active', '--quiet', unit]).exitCode === 0;
  } catch {
    return false;
  }
}

function ownerOf(path: string): Owner | null {
  try {
    const { uid, gid, mode } = lstatSync(path);
    return { uid, gid, mode: mode & 0o7777 };
  } catch {
    return null;
  }
}

/**
 * Whether units may start the program at `path`: only root can change it, their users can read it
 * (they cannot see homes), and the path has no characters that systemd treats specially.
 */
export function isSafe(path: string): boolean {
  if (!/^\/[\w./+-]+$/.test(path) || /^\/(home|root|run|tmp)\//.test(path)) return false;
  for (let at = path; ; at = dirname(at)) {
    const owner = ownerOf(at);
    if (owner === null || owner.uid !== 0 || (owner.mode & 0o023) !== 0o001) return false;
    if (at === path && (owner.mode & 0o004) === 0) return false;
    if (at === '/') return true;
  }
}

/**
 * Links in an image start at its own root: followed from here, they lead to files of this machine.
 * @throws CannotInstall if a step would change something outside `root`
 */
export function assertBelow(root: string, steps: readonly Step[]): void {
  for (const step of steps) {
    if (step.do === 'run') continue;
    const path = join(root, 'to' in step && step.do !== 'own' ? step.to : step.path);
    // The other steps replace or remove a link at the end of the path, and do not follow it.
    const real = realOf(step.do === 'own' ? path : dirname(path));
    if (isBelow(real, realOf(root))) continue;
    throw new CannotInstall(`${path} is not below ${root}: a link in its path leads to ${real}`);
  }
}

/** The real path, as far as it exists. */
function realOf(path: string): string {
  if (ownerOf(path) === null && path !== dirname(path)) {
    return join(realOf(dirname(path)), basename(path));
  }
  return realpathSync(path);
}

/**
 * @returns the lines of its output that are for people; none of most steps
 * @throws Error if the step fails; earlier steps are not undone
 */
export function carryOut(step: Step, root: string): string[] {
  switch (step.do) {
    case 'write':
      replace(join(root, step.path), step.mode, (path) =>
        writeFileSync(path, step.text, { mode: step.mode }),
      );
      break;
    case 'copy':
      replace(join(root, step.to), 0o755, (path) => copyFileSync(step.from, path));
      break;
    case 'own': {
      const path = join(root, step.path);
      chownSync(path, step.to.uid, step.to.gid);
      chmodSync(path, step.to.mode);
      break;
    }
    case 'remove':
      rmSync(join(root, step.path), { recursive: true, force: true });
      break;
    case 'run': {
      const { exitCode, stdout, stderr } = Bun.spawnSync([...step.command], { stdin: 'ignore' });
      const command = step.command.join(' ');
      if (exitCode !== 0) {
        throw new CannotInstall(`${command} failed: ${stderr.toString().trim()}`);
      }
      if (step.shows === undefined) break;
      const lines = shownOf(stdout.toString(), step.shows);
      if (lines.length === 0)
        throw new CannotInstall(`${command} does not show the expected output`);
      return lines;
    }
  }
  return [];
}

function shownOf(output: string, { after, starts }: Shown): string[] {
  const lines = output.split('\n');
  const from = lines.findLastIndex((line) => line.startsWith(after));
  return lines
    .slice(from + 1)
    .filter((line) => from >= 0 && starts.some((start) => line.startsWith(start)));
}

/** Atomically; also works for a program that is running. */
function replace(path: string, mode: number, write: (path: string) => void): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  replaceWhole(path, (part) => {
    write(part);
    chmodSync(part, mode);
  });
  syncPath(dirname(path));
}
