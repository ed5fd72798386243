/** What hub and agent have in common when they are started. */
import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { PACE as AGENT_PACE, type Pace as AgentPace } from '../../../agent/pace.ts';
import { PACE as HUB_PACE, type Pace as HubPace } from '../../hub/pace.ts';
import type { ReadPorts } from '../../hub/publish/ports.ts';
import type { Running } from '../listen.ts';

/** Receives the progress of the first indexing of the access log, in bytes, and its end. */
export type Indexing = { onIndexing: (done: number, total: number) => void; over: () => void };

/** How often hub and agent do what they do by themselves. */
export type Paces = { hub: HubPace; agent: AgentPace };

/** Tests have a tenth of it. */
export const PACES: Paces = { hub: HUB_PACE, agent: AGENT_PACE };

/** Listens, but does no work of its own before `begin` is called. */
export type Prepared = Running & { begin: () => Promise<void> };

export type RunningHub = Running & {
  /** What the first sign-up needs, unless it surely comes from this machine; null once there is an account. */
  setupCode: string | null;
  /** Where Caddy listens, for a person. */
  serving: ReadPorts;
};

/** What features do is loaded where it runs. */
export const allLoaded = <T>(plans: readonly { load: () => Promise<T> }[]): Promise<T[]> =>
  Promise.all(plans.map(({ load }) => load()));

/** @throws as `begin` does, once the service has stopped */
export async function beginOrStop(service: Prepared): Promise<void> {
  try {
    await service.begin();
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/**
 * Whoever can open the socket controls the proxy, so no other user may own or enter its folder. One that
 * others may only enter is closed again: nobody can have put anything there.
 * @param owner the user who listens on it
 * @throws Error if someone else owns or may change it
 */
export function prepareSocketFolder(socket: string, owner = process.getuid?.()): void {
  const folder = dirname(socket);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Held, because in a shared folder something else may take its name meanwhile.
  const held = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const { uid, mode } = fstatSync(held);
    if (uid === owner && (mode & 0o022) === 0) {
      if ((mode & 0o077) !== 0) fchmodSync(held, 0o700);
      return;
    }
    throw new Error(
      `${folder} must be owned by ${owner === process.getuid?.() ? 'this user' : `uid ${owner}`} and closed to all others (mode 0700)`,
    );
  } finally {
    closeSync(held);
  }
}
