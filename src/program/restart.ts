/** A restart in place: the program replaces itself in its process, and the Caddy that it runs goes on serving. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../shared/async.ts';
import type { Role } from '../shared/setting.ts';
import { readIfThere } from '../shared/system/files.ts';
import { type Machine, readSettings } from './config.ts';
import { dataDirOf } from './data-folder.ts';
import { readEnvironment } from './env-file.ts';
import type { Env } from './settings.ts';

/** Asks for it; SIGHUP is that of a terminal which is closed. */
export const RESTART_SIGNAL = 'SIGUSR2';

/** There from the request until the program serves again, or refuses. Holds its next environment, or nothing. */
const requestIn = (dataDir: string): string => join(dataDir, 'restart');
/** Why it refused, for whoever asked. */
const refusalIn = (dataDir: string): string => join(dataDir, 'restart-refused');

/** What a service manager told one process (sd_notify(3), systemd.exec(5)); its reload command has none of it. */
const OF_THE_PROCESS = ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID', 'CREDENTIALS_DIRECTORY'];

/**
 * @param next the whole environment from then on; null: as it is
 * @throws Error with the code EEXIST if a restart is asked for already; file system errors
 */
export function requestRestart(dataDir: string, next: Env | null): void {
  const text = next === null ? '' : JSON.stringify(next);
  writeFileSync(requestIn(dataDir), text, { mode: 0o600, flag: 'wx' });
  rmSync(refusalIn(dataDir), { force: true });
}

/** Whether it is still to come. */
export const isRestartAsked = (dataDir: string): boolean =>
  readIfThere(requestIn(dataDir)) !== null;

/** Why the last request was refused; null if it was not. */
export function takeRefusal(dataDir: string): string | null {
  const refusal = readIfThere(refusalIn(dataDir));
  if (refusal !== null) rmSync(refusalIn(dataDir), { force: true });
  return refusal;
}

/** Once the program serves, or if nobody hears the request. Never fails: the next start does it as well. */
export function endRestart(dataDir: string): void {
  try {
    rmSync(requestIn(dataDir), { force: true });
  } catch {
    // The folder is read-only or gone.
  }
}

type Restarting = {
  role: Role;
  /** Completed by `.env`. */
  env: Env;
  /** As this process got it. */
  ownEnv: Env;
  machine: Machine;
};

/** What the program gets when it starts again. @throws Error if the request cannot be read */
export function nextEnvironment(dataDir: string, own: Env): Env {
  const asked = readIfThere(requestIn(dataDir)) ?? '';
  if (asked === '') return own;
  const kept = OF_THE_PROCESS.flatMap((name) => (name in own ? [[name, own[name]]] : []));
  return { ...JSON.parse(asked), ...Object.fromEntries(kept) };
}

/**
 * Why the program would not start again, as the end of a sentence or several lines; null if it would, as far as its
 * settings say. Tells whoever asked, too.
 */
export function refuseRestart({ role, env, ownEnv, machine }: Restarting): string | null {
  const dataDir = dataDirOf(env);
  try {
    const own = nextEnvironment(dataDir, ownEnv);
    const next = readEnvironment(own, process.cwd(), machine.readFile).env;
    if (dataDirOf(next) !== dataDir) {
      throw new Error('DATA_DIR cannot change while the program runs: stop it, and start it again');
    }
    readSettings(role, next, machine);
    return null;
  } catch (error) {
    const reason = messageOf(error);
    try {
      if (isRestartAsked(dataDir)) writeFileSync(refusalIn(dataDir), reason, { mode: 0o600 });
    } finally {
      endRestart(dataDir);
    }
    return reason;
  }
}

/**
 * The program and its own arguments, as it was started.
 * @param words how many of its arguments come after these
 * @throws file system errors
 */
export function programOf(words: number): string[] {
  const command = readFileSync('/proc/self/cmdline', 'utf8').split('\0').slice(0, -1);
  return command.slice(0, command.length - words);
}
