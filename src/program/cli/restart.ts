/** `signalbox restart` */
import { constants } from 'node:os';
import { processOf } from '../../../agent/caddy/process/processes.ts';
import { messageOf } from '../../shared/async.ts';
import { readIfThere } from '../../shared/system/files.ts';
import { lockIn, writersOf } from '../../shared/system/lock.ts';
import { dataDirOf } from '../data-folder.ts';
import {
  endRestart,
  isRestartAsked,
  RESTART_SIGNAL,
  requestRestart,
  takeRefusal,
} from '../restart.ts';
import type { Env } from '../settings.ts';
import { type Command, EXIT } from './command.ts';

/** Milliseconds; shorter than systemd waits for a reload (TimeoutStartSec=, systemd.service(5)). */
const TIMEOUT_MS = 80_000;
const POLL_MS = 50;

export const restart: Command = {
  name: 'restart',
  isSeldom: true,
  args: [],
  options: {},
  summary: 'apply changed settings or a new binary; Caddy goes on serving',
  help: `Restarts the program that uses DATA_DIR in its process. It reads .env again; the environment
that it was started with stays. Under systemd: systemctl reload UNIT, which reads the settings file
of the unit. If the settings are wrong, prints what is, and the program goes on as it is. A change
of the environment of Caddy restarts Caddy as well.
`,
  async run(_given, { env, fail }) {
    try {
      const dataDir = dataDirOf(env);
      for (const pid of programsOf(dataDir, env)) await restartProgram(pid, dataDir, env);
      return EXIT.done;
    } catch (error) {
      fail(`signalbox restart: ${messageOf(error)}`);
      return EXIT.failed;
    }
  },
};

/** @throws Error with what went wrong, as the end of a sentence or several lines */
async function restartProgram(pid: number, dataDir: string, env: Env): Promise<void> {
  if (!hears(pid))
    throw new Error('what uses the data folder cannot restart: it is starting, or another command');
  const { MAINPID, ...fromUnit } = env;
  try {
    requestRestart(dataDir, MAINPID === undefined ? null : fromUnit);
  } catch (error) {
    const isAsked = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw isAsked ? new Error('it is restarting already') : error;
  }
  try {
    process.kill(pid, RESTART_SIGNAL);
  } catch (error) {
    endRestart(dataDir);
    throw error;
  }
  const until = performance.now() + TIMEOUT_MS;
  while (isRestartAsked(dataDir)) {
    if (processOf(pid) === null) throw new Error('it ended; its output says why');
    if (performance.now() > until) throw new Error('it does not serve yet; its output says why');
    await Bun.sleep(POLL_MS);
  }
  const refusal = takeRefusal(dataDir);
  if (refusal !== null) throw new Error(`with these settings, ${refusal}`);
}

/** The pids of a hub and an agent, which may be one program. @throws Error if there is none */
function programsOf(dataDir: string, { MAINPID }: Env): number[] {
  // The service manager's word: a unit need not see the list of locks.
  if (MAINPID !== undefined) return [Number(MAINPID)];
  const pids = writersOf([lockIn(dataDir, 'hub'), lockIn(dataDir, 'agent')]);
  if (pids.length === 0) throw new Error(`no program uses the data folder ${dataDir}`);
  return pids;
}

/** Whether the signal ends nothing there, as proc(5) shows: a command that restores would die of it. */
function hears(pid: number): boolean {
  const [, caught = '0'] =
    /^SigCgt:\s+(\w+)$/m.exec(readIfThere(`/proc/${pid}/status`) ?? '') ?? [];
  const bit = BigInt(constants.signals[RESTART_SIGNAL] - 1);
  return ((BigInt(`0x${caught}`) >> bit) & 1n) === 1n;
}
