/** All commands, in the order of `--help`. */
import type { Feature } from '../../feature.ts';
import { agents } from './api/agents.ts';
import { logs } from './api/logs.ts';
import { ports } from './api/ports.ts';
import { api, apiPaths } from './api/request.ts';
import { site } from './api/site.ts';
import { status } from './api/status.ts';
import { undo } from './api/undo.ts';
import type { Command } from './command.ts';
import { completion } from './completion.ts';
import { health } from './health.ts';
import { help } from './help.ts';
import { install, uninstall } from './install.ts';
import { passwd } from './passwd.ts';
import { restart } from './restart.ts';
import { SERVING } from './serve.ts';

const CORE: readonly Command[] = [
  ...SERVING,
  restart,
  health,
  status,
  site,
  logs,
  undo,
  agents,
  ports,
  api,
  apiPaths,
  passwd,
  install,
  uninstall,
  completion,
  help,
];

/** Each of the core with those of features that follow it, also hidden ones. */
export async function commandsOf(features: readonly Feature[]): Promise<readonly Command[]> {
  const questions = (
    await Promise.all(features.map(async ({ questions }) => (await questions?.()) ?? []))
  ).flat();
  const importers = await Promise.all(
    features.map(async ({ importers }) => (await importers?.(questions)) ?? []),
  );
  const own = await Promise.all(
    features.map(async ({ commands }) => (await commands?.(importers.flat(), questions)) ?? []),
  );
  const behind = ({ name }: Command) => own.flat().filter(({ follows }) => follows === name);
  return CORE.flatMap((one) => [one, ...behind(one)]);
}

/** Those that are not hidden. */
export const shownOf = (commands: readonly Command[]): Command[] =>
  commands.filter(({ isHidden }) => !isHidden);
