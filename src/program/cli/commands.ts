/** All commands, in the order of `--help`. */
import type { Feature } from '../../feature.ts';
import { FEATURES } from '../../features.ts';
import { agents } from './api/agents.ts';
import { caddy } from './api/caddy.ts';
import { certificate } from './api/certificate.ts';
import { changelog, undo } from './api/changelog.ts';
import { importCommand } from './api/import.ts';
import { logs } from './api/logs.ts';
import { policy } from './api/policy.ts';
import { ports } from './api/ports.ts';
import { replay } from './api/replay.ts';
import { site } from './api/site.ts';
import { status } from './api/status.ts';
import type { Command } from './command.ts';
import { completion } from './completion.ts';
import { backup, promote, restore } from './database.ts';
import { health } from './health.ts';
import { help } from './help.ts';
import { install, uninstall } from './install.ts';
import { passwd } from './passwd.ts';
import { restart } from './restart.ts';
import { agent, all, hub } from './serve.ts';

const FIRST: readonly Command[] = [
  all,
  hub,
  agent,
  restart,
  health,
  status,
  site,
  policy,
  certificate,
  logs,
  changelog,
  undo,
  replay,
  agents,
  caddy,
];
const LAST: readonly Command[] = [
  ports,
  backup,
  restore,
  promote,
  passwd,
  install,
  uninstall,
  completion,
  help,
];

/** The core's, with those of features in their midst. */
export async function commandsOf(features: readonly Feature[]): Promise<readonly Command[]> {
  const own = await Promise.all(features.map(async ({ commands }) => (await commands?.()) ?? []));
  const importers = await Promise.all(
    features.map(async ({ importers }) => (await importers?.()) ?? []),
  );
  return [...FIRST, ...own.flat(), importCommand(importers.flat()), ...LAST];
}

/** With all features. */
export const COMMANDS = await commandsOf(FEATURES);
