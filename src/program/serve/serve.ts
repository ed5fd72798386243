/** Starts and stops a hub. */
import type { HubSettings } from '../../hub/api/context.ts';
import type { HubHalf } from '../../hub/core.ts';
import { openDatabase } from '../../hub/db/open.ts';
import type { Log } from '../../shared/log.ts';
import { VERSION } from '../version.ts';
import { prepareHub } from './hub.ts';
import { type PrepareHub, prepareRestartable } from './restartable.ts';
import { allLoaded, PACES, type RunningHub } from './running.ts';

/** @throws Error if the data folder or the port is in use */
export async function serveHub(
  settings: HubSettings,
  token: string,
  log: Log,
  pace = PACES.hub,
): Promise<RunningHub> {
  const halves = await loadBeforeOpen(settings, log);
  const prepare: PrepareHub = (database, port, restart) =>
    prepareHub({ ...settings, port }, database, token, log, pace, restart, halves);
  const database = openDatabase(settings.dataDir);
  const hub = prepareRestartable(database, settings, prepare, pace.standby, log);
  await hub.begin();
  return hub;
}

/** Loads what features do in a hub, which may begin before the database is opened. */
export async function loadBeforeOpen(
  { plans, dataDir }: HubSettings,
  log: Log,
): Promise<HubHalf[]> {
  for (const { beforeOpen } of plans) await beforeOpen?.({ dataDir, version: VERSION, log });
  return allLoaded(plans);
}
